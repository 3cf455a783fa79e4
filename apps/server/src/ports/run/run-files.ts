import type { NodeFiles } from '@millrace/nodes/runtime';

/** Which node of which run works with files. */
export interface FileOrigin {
  /** Person that the run is attributed to. */
  readonly user_id: string;
  readonly workflow_id: string;
  readonly run_id: string;
  readonly node_id: string;
  readonly node_label: string;
}

/** The Drive as runs use it; what is refused is an `AppError`. */
export interface RunFiles {
  of(origin: FileOrigin): NodeFiles;
}
