import type { NodeResult } from '@millrace/contracts';
import { readNodeStatus } from '../../../lib/run/node-status.ts';
import { getRound } from '../../../lib/run/rounds.ts';

const numberIn = ({ metadata }: NodeResult, name: string): number | undefined => {
  const value = metadata[name];
  return typeof value === 'number' ? value : undefined;
};

/** A result with its place in history, where results are in the order in which they ended. */
export interface PlacedResult {
  readonly result: NodeResult;
  readonly index: number;
}

/** Results in the order in which they began. The end of a loop, which began with its first round, follows its rounds. */
export function inRunOrder(results: readonly NodeResult[]): PlacedResult[] {
  const deepest = new Map<string, number>();
  const levels = (result: NodeResult) => getRound(result).split('.').filter(Boolean).length;
  for (const result of results)
    deepest.set(result.node_id, Math.max(deepest.get(result.node_id) ?? 0, levels(result)));
  const isLoopEnd = (result: NodeResult) => levels(result) < (deepest.get(result.node_id) ?? 0);
  return results
    .map((result, index) => ({
      result,
      index,
      at: numberIn(result, isLoopEnd(result) ? 'ended_at_ms' : 'started_at_ms') ?? 0,
      sequence: numberIn(result, 'sequence') ?? index,
    }))
    .toSorted((a, b) => a.at - b.at || a.sequence - b.sequence);
}

/** Nodes in the order in which they began, each once; those that were skipped did not run. */
export function ranOrder(results: readonly NodeResult[]): string[] {
  const ran = results.filter(({ status }) => status !== 'skipped');
  return [...new Set(inRunOrder(ran).map(({ result }) => result.node_id))];
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
  results.findLast((result) => readNodeStatus(result) === 'error')?.node_id;
