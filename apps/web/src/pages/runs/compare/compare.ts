import type { NodeResult } from '@millrace/contracts';
import { jsonDiff } from '../../../lib/json/json-diff.ts';
import { type Differences, withoutNoise } from './noise.ts';

export interface NodeComparison extends Differences {
  key: string;
  label: string;
  type: string;
  left: NodeResult | undefined;
  right: NodeResult | undefined;
  same: boolean;
}

/** Numbers the results of each node, because loops and retries give a node several. */
function numbered(results: readonly NodeResult[]): Map<string, NodeResult> {
  const counts = new Map<string, number>();
  const found = new Map<string, NodeResult>();
  for (const result of results) {
    const count = (counts.get(result.node_id) ?? 0) + 1;
    counts.set(result.node_id, count);
    found.set(`${result.node_id}#${count}`, result);
  }
  return found;
}

/** Two runs node by node, in the order of the first, then what only the second did. */
export function compareRuns(left: readonly NodeResult[], right: readonly NodeResult[]): NodeComparison[] {
  const [a, b] = [numbered(left), numbered(right)];
  const comparisons: NodeComparison[] = [];
  for (const key of new Set([...a.keys(), ...b.keys()])) {
    const [one, other] = [a.get(key), b.get(key)];
    const shown = one ?? other;
    if (!shown) continue;
    const { changes, noise } = withoutNoise(one && other ? jsonDiff(one.output, other.output) : []);
    comparisons.push({
      key,
      label: shown.node_label,
      type: shown.node_type,
      left: one,
      right: other,
      changes,
      noise,
      same: one?.status === other?.status && one?.error === other?.error && changes.length === 0,
    });
  }
  return comparisons;
}
