import type { NodeRun } from '../../../features/run-view/run-store.ts';

export interface Bar {
  readonly status: string;
  /** Milliseconds since the first node began. */
  readonly start: number;
  readonly ms: number;
}

/** The bars of one node, in the order in which they began. */
export interface NodeBars {
  readonly node_id: string;
  readonly bars: readonly Bar[];
}

interface Span {
  readonly status: string;
  readonly from: number;
  readonly to: number;
}

function listSpans(run: NodeRun, nowMs: number | undefined): Span[] {
  const done = run.records.flatMap((record): Span[] => {
    const { started_at_ms: from, execution_time_ms: ms, status } = record;
    return from === undefined || status === 'skipped' ? [] : [{ status, from, to: from + ms }];
  });
  const isOpen = run.status === 'running' || run.status === 'retrying';
  if (!isOpen || nowMs === undefined || run.started_at_ms === undefined) return done;
  const from = Math.max(run.started_at_ms, done.at(-1)?.to ?? 0);
  return [...done, { status: 'running', from, to: Math.max(from, nowMs) }];
}

/**
 * Bars of every result by node, in the order in which the nodes began, and how long all of it took; with a time, what still
 * runs reaches up to it.
 */
export function buildBars(
  nodes: ReadonlyMap<string, NodeRun>,
  nowMs?: number,
): { rows: NodeBars[]; total_ms: number } {
  const spans = [...nodes].map(([node_id, run]) => ({ node_id, spans: listSpans(run, nowMs) }));
  const all = spans.flatMap((node) => node.spans);
  if (all.length === 0) return { rows: [], total_ms: 0 };
  const from = all.reduce((least, span) => Math.min(least, span.from), Number.POSITIVE_INFINITY);
  const to = all.reduce((most, span) => Math.max(most, span.to), 0);
  const rows = spans
    .filter((node) => node.spans.length > 0)
    .map(({ node_id, spans: own }) => ({
      node_id,
      bars: own
        .map((span) => ({ status: span.status, start: span.from - from, ms: span.to - span.from }))
        .toSorted((one, two) => one.start - two.start),
    }))
    .toSorted((one, two) => (one.bars[0]?.start ?? 0) - (two.bars[0]?.start ?? 0));
  return { rows, total_ms: Math.max(1, to - from) };
}
