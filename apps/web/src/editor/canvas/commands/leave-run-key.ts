import type { KeyboardEvent } from 'react';

/** React Flow leaves the keys of elements with this class alone. */
const LEFT_ALONE = 'nokey';

/**
 * Ctrl+Enter runs the workflow. React Flow would take it for an Enter with the key that selects several nodes, which takes
 * the node with the focus out of the selection, and its focus away.
 */
export function leaveRunKey({ currentTarget, key, ctrlKey, metaKey }: KeyboardEvent): void {
  currentTarget.classList.toggle(LEFT_ALONE, key === 'Enter' && (ctrlKey || metaKey));
}
