import type { StoredFile } from '@millrace/nodes/runtime';

/** A file that a node of a run makes. */
export interface RunFile {
  readonly owner_id: string;
  readonly workflow_id: string;
  readonly run_id: string;
  readonly node_id: string;
  readonly node_label: string;
  readonly filename: string;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Where files of runs are kept. */
export interface RunFiles {
  /** @throws NodeFailure when it is larger than files may be */
  store(file: RunFile): Promise<StoredFile>;
}
