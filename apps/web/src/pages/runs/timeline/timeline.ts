import type { NodeResult } from '@millrace/contracts';
import { readNodeStatus } from '../../../lib/run/node-status.ts';

export interface Bar {
  key: string;
  label: string;
  type: string;
  status: NodeResult['status'] | 'cancelled';
  /** Milliseconds after the run began. */
  start_ms: number;
  length_ms: number;
}

export interface Timeline {
  bars: Bar[];
  total_ms: number;
}

function readStart(result: NodeResult): number | undefined {
  const value = result.metadata['started_at_ms'];
  return typeof value === 'number' ? value : undefined;
}

/**
 * Bars of a Gantt chart: when each node result began and how long it took. Results without a recorded start are left
 * out; skipped nodes took no time.
 */
export function buildTimeline(
  results: readonly NodeResult[],
  started_at: string,
  execution_time_ms: number | null,
): Timeline {
  const begin = Date.parse(started_at);
  const bars: Bar[] = [];
  for (const [index, result] of results.entries()) {
    const start = readStart(result);
    if (start === undefined || result.status === 'skipped') continue;
    bars.push({
      key: `${result.node_id}:${index}`,
      label: result.node_label,
      type: result.node_type,
      status: readNodeStatus(result),
      start_ms: Math.max(0, start - begin),
      length_ms: Math.max(0, result.execution_time_ms),
    });
  }
  bars.sort((a, b) => a.start_ms - b.start_ms);
  const end = Math.max(0, ...bars.map((bar) => bar.start_ms + bar.length_ms));
  return { bars, total_ms: Math.max(execution_time_ms ?? 0, end, 1) };
}

/** Round marks for an axis of the given length: about five of 1, 2 or 5 times a power of ten. */
export function ticksFor(total_ms: number): number[] {
  const rough = total_ms / 5;
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? power;
  const ticks: number[] = [];
  for (let at = 0; at <= total_ms; at += step) ticks.push(at);
  return ticks;
}
