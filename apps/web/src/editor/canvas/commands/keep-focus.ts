import type { WorkflowDocument } from '@millrace/engine';

/** The node to continue at when others go: one that led to them, else one they led to, else the one before in the document. */
export function findNeighbour(
  { nodes, edges }: Pick<WorkflowDocument, 'nodes' | 'edges'>,
  gone: { nodes: ReadonlySet<string>; edges: ReadonlySet<string> },
): string | undefined {
  const touched = edges.filter(
    ({ id, source, target }) => gone.edges.has(id) || gone.nodes.has(source) !== gone.nodes.has(target),
  );
  const stays = (id: string) => !gone.nodes.has(id);
  const source = touched.find((edge) => stays(edge.source))?.source;
  const target = touched.find((edge) => stays(edge.target))?.target;
  const first = nodes.findIndex(({ id }) => gone.nodes.has(id));
  const before = nodes.findLast(({ id }, index) => index < first && stays(id));
  return source ?? target ?? (before ?? nodes.find(({ id }) => stays(id)))?.id;
}

/** Gives the focus to the node, else to the canvas, once what had it is gone: the page itself has it then. */
export function keepFocus(id: string | undefined): void {
  requestAnimationFrame(() => {
    // A menu has the focus until it is gone, and then gives it back to what was removed.
    if (document.activeElement?.closest('[role="menu"]')) return keepFocus(id);
    if (document.activeElement !== document.body) return;
    const canvas = document.querySelector<HTMLElement>('.react-flow');
    const cards = canvas?.querySelectorAll<HTMLElement>('.react-flow__node') ?? [];
    const card = [...cards].find(({ dataset }) => id !== undefined && dataset['id'] === id);
    (card ?? canvas)?.focus({ preventScroll: true });
  });
}
