import type { NodeRun } from '../run-store.ts';

export interface Bar {
  node_id: string;
  status: string;
  /** Milliseconds since the first node began. */
  start: number;
  ms: number;
}

interface Span {
  node_id: string;
  status: string;
  from: number;
  to: number;
}

function spansOf(node_id: string, run: NodeRun, nowMs: number | undefined): Span[] {
  const done = run.records.flatMap((record): Span[] => {
    const { started_at_ms: from, execution_time_ms: ms, status } = record;
    return from === undefined || status === 'skipped' ? [] : [{ node_id, status, from, to: from + ms }];
  });
  const isOpen = run.status === 'running' || run.status === 'retrying';
  if (!isOpen || nowMs === undefined || run.started_at_ms === undefined) return done;
  const from = Math.max(run.started_at_ms, done.at(-1)?.to ?? 0);
  return [...done, { node_id, status: 'running', from, to: Math.max(from, nowMs) }];
}

/** Bars of every result and how long all of it took; with a time, what still runs reaches up to it. */
export function barsOf(
  nodes: ReadonlyMap<string, NodeRun>,
  nowMs?: number,
): { bars: Bar[]; total_ms: number } {
  const all = [...nodes].flatMap(([node_id, run]) => spansOf(node_id, run, nowMs));
  if (all.length === 0) return { bars: [], total_ms: 0 };
  const from = all.reduce((least, span) => Math.min(least, span.from), Number.POSITIVE_INFINITY);
  const to = all.reduce((most, span) => Math.max(most, span.to), 0);
  const total_ms = Math.max(1, to - from);
  const bars = all.map((span) => ({
    node_id: span.node_id,
    status: span.status,
    start: span.from - from,
    ms: span.to - span.from,
  }));
  return { bars, total_ms };
}
