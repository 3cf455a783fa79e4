/** Frames to wait for a node to be measured: it is added within a few, unless it is out of view. */
const MAX_FRAMES = 120;

/** Gives the focus to a node, also to one that was added just now: it is hidden, and takes no focus, until it is measured. */
export function focusNode(id: string, frames = MAX_FRAMES): void {
  // The user has chosen something else meanwhile.
  if (document.activeElement !== document.body) return;
  const card = document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`);
  if (card && getComputedStyle(card).visibility === 'visible') card.focus({ preventScroll: true });
  else if (frames > 0) requestAnimationFrame(() => focusNode(id, frames - 1));
}
