import { z } from 'zod';
import { idParams, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';

const budgetUse = z
  .object({
    budget: z.enum(['node', 'run', 'workflow_day', 'user_day']),
    node_label: z.string().nullable().describe('Of a budget of a node; null for the others.'),
    amount_usd: z.number().positive(),
    spent_usd: z
      .number()
      .nonnegative()
      .describe(
        'US dollars by list price, of this run or since the last midnight; of a node in a loop, of its costliest round.',
      ),
    state: z
      .enum(['fine', 'warned', 'used_up'])
      .describe('`warned` from 80 % on; `used_up`: no model is called any more.'),
  })
  .meta({ id: 'BudgetUse' });
export type BudgetUse = z.infer<typeof budgetUse>;

const budgetUses = z.object({ items: z.array(budgetUse).describe('Without budgets that are not set.') });
export type BudgetUses = z.infer<typeof budgetUses>;

export const readBudgetUse = endpoint({
  id: 'readBudgetUse',
  method: 'GET',
  path: '/api/workflows/{id}/budget-use',
  tag: 'Traces',
  summary:
    'How much of the cost budgets of a workflow is spent: of the day, and of one of its runs and the nodes in it',
  auth: 'session',
  params: idParams,
  query: z.object({ run_id: uuid.optional() }),
  response: budgetUses,
  errors: ['not_found'],
});

export const readOwnBudgetUse = endpoint({
  id: 'readOwnBudgetUse',
  method: 'GET',
  path: '/api/auth/me/budget-use',
  tag: 'Traces',
  summary: 'How much of your own cost budget of the day is spent',
  auth: 'session',
  response: budgetUses,
});
