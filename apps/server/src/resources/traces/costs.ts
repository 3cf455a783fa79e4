import type { CostSeries, CostSums, TraceCosts, TraceCostsQuery } from '@millrace/contracts';
import { forbidden } from '../../core/app-error.ts';
import { floorToHour } from '../../execution/store/analytics/run-ends.ts';
import type { Needs } from '../../services.ts';
import { computeBuckets, resolveHourRange } from '../analytics/range.ts';
import { canSeeWorkflow, visibleWorkflowIds } from '../workflows/access.ts';
import { type CostCell, type CountedTraces, firstCall, sumCosts } from './cost-queries.ts';

/** Each has two numbers in every series. */
const MOST_BUCKETS = 4_000;

const NOTHING: CostSums = {
  calls: 0,
  unpriced_calls: 0,
  cost_usd: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
};

const added = (one: CostSums, other: CostSums): CostSums => ({
  calls: one.calls + other.calls,
  unpriced_calls: one.unpriced_calls + other.unpriced_calls,
  cost_usd: one.cost_usd + other.cost_usd,
  prompt_tokens: one.prompt_tokens + other.prompt_tokens,
  completion_tokens: one.completion_tokens + other.completion_tokens,
});

/** The same answer for unknown workflows and those of others, so that it reveals nothing about the latter. */
async function selectTraces(
  { db, actor }: Needs<'db' | 'actor'>,
  workflow_id: string | undefined,
): Promise<CountedTraces> {
  const { user_id } = actor;
  if (workflow_id === undefined) {
    return { user_id, workflow_ids: await visibleWorkflowIds({ db, actor }), of_workflows_alone: false };
  }
  if (!(await canSeeWorkflow(db, user_id, workflow_id))) {
    throw forbidden('You have no access to this workflow');
  }
  return { user_id, workflow_ids: [workflow_id], of_workflows_alone: true };
}

export async function readTraceCosts(
  ctx: Needs<'db' | 'sql' | 'actor' | 'now'>,
  { workflow_id, group_by, limit, bucket_size, ...query }: TraceCostsQuery,
): Promise<TraceCosts> {
  const traces = await selectTraces(ctx, workflow_id);
  const range = await resolveHourRange(query, {
    now_ms: ctx.now(),
    firstHour: async () => {
      const first = await firstCall(ctx.sql, traces);
      return first === undefined ? undefined : floorToHour(first);
    },
  });
  const { bucket_ms, starts } = computeBuckets(range, bucket_size, MOST_BUCKETS);
  const cells = await sumCosts(ctx.sql, traces, { ...range, group_by, limit, bucket_ms });
  const series = buildSeries(cells, { starts, limit });
  return {
    time_buckets: starts.map((at) => new Date(at).toISOString()),
    total: series.reduce<CostSums>(added, NOTHING),
    series,
  };
}

/** @param cells by rank */
function buildSeries(
  cells: readonly CostCell[],
  { starts, limit }: { readonly starts: readonly number[]; readonly limit: number },
): CostSeries[] {
  const places = new Map(starts.map((at_ms, place) => [at_ms, place]));
  const found = new Map<number, CostSeries>();
  for (const cell of cells) {
    const { rank, id, name } = cell;
    const before = found.get(rank) ?? {
      ...NOTHING,
      kind: rank > limit ? ('rest' as const) : ('group' as const),
      id,
      name,
      costs_usd: starts.map(() => 0),
      tokens: starts.map(() => 0),
    };
    const place = places.get(cell.at_ms);
    if (place !== undefined) {
      before.costs_usd[place] = cell.cost_usd;
      before.tokens[place] = cell.prompt_tokens + cell.completion_tokens;
    }
    // The name of a workflow that is gone for the person may differ between buckets; the latest one is kept.
    found.set(rank, { ...before, name: name ?? before.name, ...added(before, cell) });
  }
  return [...found.values()];
}
