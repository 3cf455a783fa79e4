import { type Failure, NodeFailure } from '@millrace/engine';
import type { Part } from './parts.ts';

/** A task for a process. */
export interface ParseTask {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** A large value is sent in parts before the message that it belongs to. */
export interface PartMessage {
  readonly kind: 'part';
  readonly part: Part;
}

/** Messages to a process; `next` requests the next part, so that the parts of a value are not all decoded in one turn. */
export type TaskMessage =
  | { readonly kind: 'next' }
  | PartMessage
  | { readonly kind: 'task'; readonly name: string; readonly args?: readonly unknown[] };

/** Messages from a process: it is ready, or how its task ended. */
export type ProcessMessage =
  | PartMessage
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly result?: unknown; readonly is_in_parts?: boolean }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'thrown'; readonly message: string };

/** A serialized error: copying an error object loses its class and its fields. */
export function messageOfError(error: unknown): ProcessMessage {
  if (error instanceof NodeFailure) return { kind: 'failed', failure: error.failure };
  return { kind: 'thrown', message: error instanceof Error ? error.message : String(error) };
}
