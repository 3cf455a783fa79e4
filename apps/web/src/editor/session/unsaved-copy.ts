import type { WorkflowDocument } from '@millrace/engine';

/** Unsaved work, kept in the browser at every change, so that no closed tab loses it. */
export interface UnsavedCopy {
  document: WorkflowDocument;
  /** State of the server that the copy was made on. */
  base: WorkflowDocument;
  base_updated_at: string;
  saved_at: number;
}

/** The person is part of it: in a shared browser, no one gets to see the unsaved work of others. */
export interface CopyPlace {
  readonly user_id: string;
  readonly workflow_id: string;
}

const key = ({ user_id, workflow_id }: CopyPlace) => `millrace.draft.${user_id}.${workflow_id}`;

function isUnsavedCopy(value: unknown): value is UnsavedCopy {
  return (
    typeof value === 'object' &&
    value !== null &&
    'document' in value &&
    'base' in value &&
    'base_updated_at' in value
  );
}

export function readUnsavedCopy(place: CopyPlace): UnsavedCopy | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key(place)) ?? 'null');
    return isUnsavedCopy(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** Says whether the copy could be kept: storage may be full or forbidden. */
export function keepUnsavedCopy(place: CopyPlace, copy: UnsavedCopy): boolean {
  try {
    localStorage.setItem(key(place), JSON.stringify(copy));
    return true;
  } catch {
    return false;
  }
}

export function dropUnsavedCopy(place: CopyPlace): void {
  try {
    localStorage.removeItem(key(place));
  } catch {
    // Nothing was kept where storage is forbidden.
  }
}
