import type { CostGrouping, CostSeries, TraceCosts } from '@millrace/contracts';
import type { BarPart } from '../../../ui/charts/stacked-bars.tsx';
import { type TimeBucket, toTimeBuckets } from '../../../ui/charts/time-buckets.ts';

/** In this order; the rest is gray. */
const COLOURS = [
  { fill: 'fill-column-blue', dot: 'bg-column-blue' },
  { fill: 'fill-column-amber', dot: 'bg-column-amber' },
  { fill: 'fill-column-green', dot: 'bg-column-green' },
  { fill: 'fill-column-purple', dot: 'bg-column-purple' },
  { fill: 'fill-column-teal', dot: 'bg-column-teal' },
  { fill: 'fill-column-pink', dot: 'bg-column-pink' },
] as const;
const REST = { fill: 'fill-column-gray', dot: 'bg-column-gray' } as const;

/** As many groups as there are colours. */
export const MOST_GROUPS = COLOURS.length;

export interface CostBucket extends TimeBucket {
  readonly cost_usd: number;
  readonly tokens: number;
}

/** A group with its colour and its name in words. */
export interface CostGroup {
  readonly key: string;
  readonly label: string;
  readonly fill: string;
  readonly dot: string;
  readonly series: CostSeries;
  /** Of a workflow that can be chosen as a filter. */
  readonly workflow_id: string | null;
}

interface Words {
  readonly rest: string;
  /** Calls outside of workflows. */
  readonly outside: string;
}

export function toCostGroups({ series }: TraceCosts, by: CostGrouping, words: Words): CostGroup[] {
  return series.map((each, at) => ({
    key: each.kind === 'rest' ? 'rest' : `${each.id ?? ''} ${each.name ?? ''}`,
    label: each.kind === 'rest' ? words.rest : (each.name ?? words.outside),
    ...(each.kind === 'rest' ? REST : (COLOURS[at] ?? REST)),
    series: each,
    workflow_id: by === 'workflow' ? each.id : null,
  }));
}

export const toBarParts = (groups: readonly CostGroup[], of: 'costs_usd' | 'tokens'): BarPart[] =>
  groups.map(({ key, label, fill, dot, series }) => ({ key, label, fill, dot, values: series[of] }));

/** The total of all groups in each bucket. */
export function toCostBuckets({ time_buckets, series }: TraceCosts): CostBucket[] {
  return toTimeBuckets(time_buckets).map((bucket, at) => ({
    ...bucket,
    cost_usd: series.reduce((sum, { costs_usd }) => sum + (costs_usd[at] ?? 0), 0),
    tokens: series.reduce((sum, { tokens }) => sum + (tokens[at] ?? 0), 0),
  }));
}
