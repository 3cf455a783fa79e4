import type { CompiledNode, CompiledWorkflow } from '../../compiled.ts';
import type { Precedence } from './precedence.ts';

const NONE: readonly number[] = [];
/** Bits of one machine word: how many labels one pass over the graph follows. */
const BATCH = 32;

/**
 * Resolves labels to the nodes whose outputs a node may see. References that stand in the document are resolved
 * in advance; text that a node evaluates while it runs may name others, which are resolved on first use.
 */
export function findUpstream(
  nodes: readonly CompiledNode[],
  precedence: Precedence,
  withLabel: CompiledWorkflow['withLabel'],
): CompiledWorkflow['upstream'] {
  const known: Map<string, readonly number[]>[] = nodes.map(() => new Map());
  resolveReferences({ nodes, precedence, withLabel, known });
  return (node, label) => {
    const found = known[node]?.get(label);
    if (found) return found;
    const same = withLabel(label);
    if (same.length === 0) return NONE;
    const visible = same.filter((other) => precedence.after(other)[node] === 1);
    const sorted = latestFirst(visible, precedence);
    known[node]?.set(label, sorted);
    return sorted;
  };
}

interface Resolution {
  nodes: readonly CompiledNode[];
  precedence: Precedence;
  withLabel: CompiledWorkflow['withLabel'];
  known: Map<string, readonly number[]>[];
}

function resolveReferences({ nodes, precedence, withLabel, known }: Resolution): void {
  /** Referring nodes by the node they refer to. */
  const wanted = new Map<number, number[]>();
  for (const node of nodes) {
    for (const { name, path } of node.params.references) {
      const label = name === 'input' ? path[0] : name;
      if (label === undefined) continue;
      for (const other of withLabel(label)) {
        const readers = wanted.get(other);
        if (readers) readers.push(node.index);
        else wanted.set(other, [node.index]);
      }
    }
  }
  const referenced = [...wanted.keys()];
  for (let start = 0; start < referenced.length; start += BATCH) {
    const batch = referenced.slice(start, start + BATCH);
    const bits = precedence.computeBits(batch);
    for (const [bit, other] of batch.entries()) {
      const label = nodes[other]?.label ?? '';
      for (const reader of wanted.get(other) ?? []) {
        const sofar = known[reader]?.get(label) ?? NONE;
        const isVisible = ((bits[reader] ?? 0) >>> bit) % 2 === 1 && !sofar.includes(other);
        known[reader]?.set(label, isVisible ? latestFirst([...sofar, other], precedence) : sofar);
      }
    }
  }
}

function latestFirst(nodes: readonly number[], precedence: Precedence): readonly number[] {
  return [...nodes].sort((one, two) => (precedence.rank[two] ?? 0) - (precedence.rank[one] ?? 0));
}
