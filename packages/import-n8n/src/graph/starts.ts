import { edgesBy, type Source, type SourceEdge, type SourceNode } from '../source/source.ts';
import { isPartEdge } from './parts.ts';

/** Started by a person in the editor of n8n, and by no caller. */
const BY_HAND: ReadonlySet<string> = new Set(['manualTrigger', 'start']);
/** Starts that take the input of a caller, as the one by hand does here. */
const BY_CALLERS: ReadonlySet<string> = new Set([
  'chatTrigger',
  'executeWorkflowTrigger',
  'formTrigger',
  'manualChatTrigger',
]);

/** The starts of a workflow, which n8n runs one at a time, and which all run here. */
export interface Starts {
  /** Nodes that only a start by hand leads to, with it: none where no caller starts the same workflow. */
  readonly byHand: ReadonlySet<string>;
  /** Starts that all run with the input of a caller. */
  readonly together: readonly SourceNode[];
}

export function findStarts({ nodes, edges }: Source): Starts {
  const active = nodes.filter(({ isDisabled }) => !isDisabled);
  const called = active.filter(({ type }) => BY_CALLERS.has(type));
  const together = called.length > 1 ? called : [];
  if (called.length === 0) return { byHand: new Set(), together };
  const edgesFrom = edgesBy(edges, 'source');
  const hasInput = new Set(edges.filter(({ kind }) => kind === 'main').map(({ target }) => target));
  const roots = nodes.filter(
    ({ name }) => !hasInput.has(name) && edgesFrom.get(name)?.some(isPartEdge) !== true,
  );
  const [hand, others] = [true, false].map((isByHand) =>
    reach(
      roots.filter(({ type }) => BY_HAND.has(type) === isByHand),
      edgesFrom,
    ),
  );
  const byHand = new Set([...(hand ?? [])].filter((name) => others?.has(name) !== true));
  // Tools of an agent that does not run.
  for (const { name } of nodes) {
    const ends = edgesFrom.get(name) ?? [];
    if (ends.some(isPartEdge) && ends.every(({ target }) => byHand.has(target))) byHand.add(name);
  }
  return { byHand, together };
}

/** The nodes that data of these leads to, with them. */
function reach(
  starts: readonly SourceNode[],
  edgesFrom: ReadonlyMap<string, readonly SourceEdge[]>,
): Set<string> {
  const found = new Set<string>();
  const open = starts.map(({ name }) => name);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    for (const edge of edgesFrom.get(name) ?? []) if (!isPartEdge(edge)) open.push(edge.target);
  }
  return found;
}
