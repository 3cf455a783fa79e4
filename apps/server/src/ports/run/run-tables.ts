import type { DataTables } from '@millrace/nodes/runtime';

/** Data tables as runs use them; what is refused is an `AppError`. */
export interface RunTables {
  /** With the rights of that person. */
  of(user_id: string): DataTables;
}
