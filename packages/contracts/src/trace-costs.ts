import { z } from 'zod';
import { bucketSize, checkBounds, timeRange } from './analytics.ts';
import { timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';

export const costGrouping = z.enum(['workflow', 'model', 'user']);
export type CostGrouping = z.infer<typeof costGrouping>;

const sums = z.object({
  calls: z.int().describe('Calls of models, also those that failed.'),
  unpriced_calls: z.int().describe('Calls that answered without a known price; they are not in the cost.'),
  cost_usd: z.number().nonnegative().describe('US dollars by list price.'),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
});
export type CostSums = z.infer<typeof sums>;

/** `rest`: everything beyond `limit` in one. */
const costSeries = sums.extend({
  kind: z.enum(['group', 'rest']),
  id: uuid
    .nullable()
    .describe(
      'Of the workflow or person; null for models, deleted workflows and calls outside of workflows.',
    ),
  name: z.string().nullable().describe('Null for `rest` and for calls outside of workflows.'),
  costs_usd: z.array(z.number().nonnegative()).describe('One for each bucket.'),
  tokens: z.array(z.int()).describe('Of prompts and answers, one for each bucket.'),
});
export type CostSeries = z.infer<typeof costSeries>;

export const traceCosts = z
  .object({
    time_buckets: z.array(timestamp).describe('Starts of the buckets (UTC), ascending.'),
    total: sums,
    series: z.array(costSeries).describe('The most expensive first, then those with the most tokens.'),
  })
  .meta({ id: 'TraceCosts' });
export type TraceCosts = z.infer<typeof traceCosts>;

const query = z
  .object({
    time_range: timeRange.default('7d').describe('Calls count by when they began, in whole hours (UTC).'),
    start_at: timestamp
      .optional()
      .describe('With `end_at`, in place of `time_range`; counts from its hour on.'),
    end_at: timestamp.optional().describe('Counts up to the end of its hour, or up to it at a full hour.'),
    bucket_size: bucketSize
      .optional()
      .describe('Absent: `1h` up to two days, `6h` up to two weeks, otherwise `1d`.'),
    group_by: costGrouping.default('workflow'),
    workflow_id: uuid.optional(),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(20)
      .default(6)
      .describe('Groups that are listed; all others are added up in `rest`.'),
  })
  .superRefine(checkBounds);
export type TraceCostsQuery = z.output<typeof query>;

export const readTraceCosts = endpoint({
  id: 'readTraceCosts',
  method: 'GET',
  path: '/api/traces/costs',
  tag: 'Traces',
  summary:
    'Cost and tokens of calls of models over time: of your own, and of all that runs of workflows you can see have made',
  auth: 'session',
  query,
  response: traceCosts,
  errors: ['forbidden'],
});
