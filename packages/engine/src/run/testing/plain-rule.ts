import type { WorkflowDocument, WorkflowEdge } from '../../workflow/schema.ts';

/** The selection of a branching node, by node id; a node that is not named here selects `output`. */
export type Selections = ReadonlyMap<string, string>;

/**
 * The skip rule of graphs without loops, written as plainly as it can be said: nodes one after the other, in an order in
 * which parents come first. Only the document is read, nothing of what the engine compiles from it.
 */
export function plainStatuses(document: WorkflowDocument, selected: Selections): Map<string, string> {
  const statuses = new Map<string, string>();
  const closed = new Set<string>();
  const closedUntilFailure = new Set<string>();
  const behindFailures = new Set<string>();
  const left = new Set(document.nodes.map(({ id }) => id));
  const findIncomingEdges = (id: string): WorkflowEdge[] =>
    document.edges.filter(({ target }) => target === id);
  while (left.size > 0) {
    const next = [...left].find((id) => findIncomingEdges(id).every(({ source }) => statuses.has(source)));
    if (next === undefined) throw new Error('The graph has a cycle');
    left.delete(next);
    const node = document.nodes.find(({ id }) => id === next);
    const parents = findIncomingEdges(next);
    const isReached = parents.length === 0 || parents.some((edge) => isFollowed(edge, statuses, selected));
    const isAlerted = parents.some(
      (edge) =>
        isFollowed(edge, statuses, selected) &&
        (getPort(edge) === 'error' || behindFailures.has(edge.source)),
    );
    const isClosed = closed.has(next) || (closedUntilFailure.has(next) && !isAlerted);
    if (isClosed || !isReached) statuses.set(next, 'skipped');
    else if (node?.data['active'] === false) statuses.set(next, 'inactive');
    else {
      statuses.set(next, 'success');
      const isFailed = selected.get(next) === 'error';
      const onlyIfFailed = closedBy(document, next, selected);
      const always = closedBy(document, next, selected, ['error']);
      const mayClose = !isFailed || node?.type === 'condition' || node?.type === 'switch';
      if (mayClose)
        for (const id of onlyIfFailed) (always.includes(id) ? closed : closedUntilFailure).add(id);
      const errorEdges = document.edges.filter((edge) => edge.source === next && getPort(edge) === 'error');
      if (isFailed) for (const id of reachedFrom(document, errorEdges)) behindFailures.add(id);
    }
  }
  return new Map([...statuses].map(([id, status]) => [id, status === 'inactive' ? 'skipped' : status]));
}

function getPort({ sourceHandle }: WorkflowEdge): string {
  return sourceHandle ?? 'output';
}

/** Children of an inactive node run, whichever side they are on; only its error side stays dead. */
function isFollowed(
  edge: WorkflowEdge,
  statuses: ReadonlyMap<string, string>,
  selected: Selections,
): boolean {
  const status = statuses.get(edge.source);
  if (status === 'inactive') return getPort(edge) !== 'error';
  return status === 'success' && getPort(edge) === (selected.get(edge.source) ?? 'output');
}

/** `as_taken`: sides that count as taken beside the selected one. */
function closedBy(
  document: WorkflowDocument,
  id: string,
  selected: Selections,
  as_taken: readonly string[] = [],
): string[] {
  const outgoing = document.edges.filter(({ source }) => source === id);
  const taken = (edge: WorkflowEdge): boolean =>
    [selected.get(id) ?? 'output', ...as_taken].includes(getPort(edge));
  const open = reachedFrom(document, outgoing.filter(taken));
  return [
    ...reachedFrom(
      document,
      outgoing.filter((edge) => !taken(edge)),
    ),
  ].filter((target) => !open.has(target));
}

function reachedFrom(document: WorkflowDocument, edges: readonly WorkflowEdge[]): Set<string> {
  const reached = new Set(edges.map(({ target }) => target));
  for (const id of reached)
    for (const { source, target } of document.edges) if (source === id) reached.add(target);
  return reached;
}
