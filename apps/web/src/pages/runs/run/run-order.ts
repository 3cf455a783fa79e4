import type { NodeResult } from '@millrace/contracts';

const numberIn = ({ metadata }: NodeResult, name: string): number | undefined => {
  const value = metadata[name];
  return typeof value === 'number' ? value : undefined;
};

/** Nodes in the order in which they began, each once; those that were skipped did not run. */
export function ranOrder(results: readonly NodeResult[]): string[] {
  const began = results
    .filter(({ status }) => status !== 'skipped')
    .map((result, index) => ({
      id: result.node_id,
      at: numberIn(result, 'started_at_ms') ?? 0,
      sequence: numberIn(result, 'sequence') ?? index,
    }))
    .sort((a, b) => a.at - b.at || a.sequence - b.sequence);
  return [...new Set(began.map(({ id }) => id))];
}

/** The node one step further in the order, or back; from no node, its first or last one. Undefined at the end. */
export function nodeAfter(
  order: readonly string[],
  id: string | undefined,
  step: 1 | -1,
): string | undefined {
  const at = id === undefined ? -1 : order.indexOf(id);
  if (at < 0) return order.at(step === 1 ? 0 : -1);
  return at + step < 0 ? undefined : order[at + step];
}

/** The node whose failure ended the run. */
export const failedNode = (results: readonly NodeResult[]): string | undefined =>
  results.findLast(({ status }) => status === 'error')?.node_id;
