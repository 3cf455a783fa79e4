import type { WorkflowDocument } from '@millrace/engine';

/** Unsaved work, kept in the browser at every change, so that no closed tab loses it. */
export interface Draft {
  document: WorkflowDocument;
  /** State of the server that the draft was made on. */
  base: WorkflowDocument;
  base_updated_at: string;
  saved_at: number;
}

const key = (workflow_id: string) => `millrace.draft.${workflow_id}`;

function isDraft(value: unknown): value is Draft {
  return (
    typeof value === 'object' &&
    value !== null &&
    'document' in value &&
    'base' in value &&
    'base_updated_at' in value
  );
}

export function readDraft(workflow_id: string): Draft | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key(workflow_id)) ?? 'null');
    return isDraft(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** Says whether the draft could be kept: storage may be full or forbidden. */
export function keepDraft(workflow_id: string, draft: Draft): boolean {
  try {
    localStorage.setItem(key(workflow_id), JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

export function dropDraft(workflow_id: string): void {
  try {
    localStorage.removeItem(key(workflow_id));
  } catch {
    // Nothing was kept where storage is forbidden.
  }
}
