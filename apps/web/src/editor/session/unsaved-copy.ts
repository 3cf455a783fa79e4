import type { WorkflowDocument } from '@millrace/engine';

/** Unsaved work, kept in the browser at every change, so that no closed tab loses it. */
export interface UnsavedCopy {
  document: WorkflowDocument;
  /** State of the server that the copy was made on. */
  base: WorkflowDocument;
  base_updated_at: string;
  saved_at: number;
}

const key = (workflow_id: string) => `millrace.draft.${workflow_id}`;

function isUnsavedCopy(value: unknown): value is UnsavedCopy {
  return (
    typeof value === 'object' &&
    value !== null &&
    'document' in value &&
    'base' in value &&
    'base_updated_at' in value
  );
}

export function readUnsavedCopy(workflow_id: string): UnsavedCopy | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key(workflow_id)) ?? 'null');
    return isUnsavedCopy(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** Says whether the copy could be kept: storage may be full or forbidden. */
export function keepUnsavedCopy(workflow_id: string, copy: UnsavedCopy): boolean {
  try {
    localStorage.setItem(key(workflow_id), JSON.stringify(copy));
    return true;
  } catch {
    return false;
  }
}

export function dropUnsavedCopy(workflow_id: string): void {
  try {
    localStorage.removeItem(key(workflow_id));
  } catch {
    // Nothing was kept where storage is forbidden.
  }
}
