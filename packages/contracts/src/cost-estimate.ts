import { z } from 'zod';
import { idParams } from './common.ts';
import { endpoint } from './endpoint.ts';

export const costEstimate = z
  .object({
    basis: z
      .enum(['runs', 'limits', 'none'])
      .describe(
        '`runs`: what the last runs that called models cost; `limits`: prices and limits of the nodes, for there are no such runs; `none`: there is neither.',
      ),
    up_to_usd: z
      .number()
      .nonnegative()
      .nullable()
      .describe(
        'US dollars by list price: the 95th percentile of the runs, or the sum of what the nodes may cost.',
      ),
    median_usd: z.number().nonnegative().nullable().describe('Of the runs; null without any.'),
    runs: z.int().describe('How many were looked at, at most 50.'),
    unlimited_nodes: z
      .array(z.string())
      .describe('Labels of the nodes without a limit from which their cost would follow.'),
    unpriced_nodes: z.array(z.string()).describe('Labels of the nodes whose model has no known price.'),
    starting_nodes: z
      .array(z.string())
      .describe(
        'Labels of the nodes that start workflows, whose costs are not in it; empty when a budget of the run bounds both.',
      ),
  })
  .meta({ id: 'CostEstimate' });
export type CostEstimate = z.infer<typeof costEstimate>;

export const readCostEstimate = endpoint({
  id: 'readCostEstimate',
  method: 'GET',
  path: '/api/workflows/{id}/cost-estimate',
  tag: 'Traces',
  summary: 'What a run of the workflow will probably cost at most; without the workflows that it starts',
  auth: 'session',
  params: idParams,
  response: costEstimate,
  errors: ['not_found'],
});
