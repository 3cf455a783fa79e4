import type { CallHooks } from '@millrace/models';
import type { VectorStore } from '@millrace/nodes/runtime';
import type { ResolvedCredential } from './run-secrets.ts';

/** Who opens a store, and for how long. */
export interface StoreOpening {
  /** Person in whose name it is opened; stores that they cannot see do not exist for them. */
  readonly user_id: string;
  readonly store_id: string;
  readonly signal: AbortSignal;
  /** Longest time that a call waits for a limit to free, all pauses together. */
  readonly max_wait_ms: number;
  sleepUntil(epoch_ms: number, signal: AbortSignal): Promise<void>;
  /** Hides values of credentials in what the model of the store is sent. */
  mask<T>(value: T): T;
  /** Watches calls that are made with the credential of the store. */
  createHooks(credential: Pick<ResolvedCredential, 'id' | 'name' | 'secrets'>): CallHooks;
}

export interface OpenedStore {
  /** Without what only the run knows. */
  readonly store: Omit<VectorStore, 'source'>;
  /** Every secret of its credential; masked on every way out of a run (§5.8). */
  readonly secrets: readonly string[];
}

/** Vector stores as runs see them: their own and those shared with the person. */
export interface VectorStores {
  /** Undefined when the person cannot see such a store. */
  open(opening: StoreOpening): Promise<OpenedStore | undefined>;
}
