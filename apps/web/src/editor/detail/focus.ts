import { useReactFlow } from '@xyflow/react';
import { type RefObject, useEffect, useRef } from 'react';

/** Puts the focus into the first field that belongs to this node alone; on touch screens that would open the keyboard. */
export function focusFirst(content: HTMLElement | null): void {
  const pane = content?.querySelector<HTMLElement>('[data-pane="parameters"]');
  const field = pane?.querySelector<HTMLElement>('.cm-content') ?? pane?.querySelector<HTMLElement>('input');
  (matchMedia('(pointer: coarse)').matches ? content : (field ?? content))?.focus();
}

/** Fields that are stored when they are left are stored before they are gone. */
export function leaveField(): void {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

/** Back to the node on the canvas, which may have been out of view. */
export function useReturnFocus() {
  const flow = useReactFlow();
  return (id: string) => {
    // It was deleted: there is nothing to bring into view.
    if (!flow.getNode(id)) return;
    const find = () => document.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`);
    const pane = document.querySelector('.react-flow')?.getBoundingClientRect();
    const place = find()?.getBoundingClientRect();
    const isSeen =
      pane !== undefined &&
      place !== undefined &&
      place.left >= pane.left &&
      place.right <= pane.right &&
      place.top >= pane.top &&
      place.bottom <= pane.bottom;
    find()?.focus({ preventScroll: true });
    if (isSeen) return;
    void flow
      .fitView({ nodes: [{ id }], minZoom: flow.getZoom(), maxZoom: flow.getZoom(), duration: 150 })
      .then(() => {
        // The node may not have been rendered before. The focus stays where it is if it has moved on.
        if (document.activeElement === document.body) find()?.focus({ preventScroll: true });
      });
  };
}

/** After another node was opened by a key, the field that had the focus is gone. */
export function useKeepFocus(content: RefObject<HTMLElement | null>, node_id: string): void {
  const shown = useRef(node_id);
  useEffect(() => {
    if (shown.current === node_id) return;
    shown.current = node_id;
    const focused = document.activeElement;
    if (focused === null || focused === document.body || focused === content.current)
      focusFirst(content.current);
  }, [content, node_id]);
}
