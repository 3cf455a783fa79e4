import {
  deleteTraces,
  listTraces,
  readBudgetUse,
  readCostEstimate,
  readOwnBudgetUse,
  readTrace,
  readTraceCosts,
} from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import * as budgets from './budget-use.ts';
import * as costs from './costs.ts';
import * as estimate from './estimate.ts';
import * as service from './service.ts';

export function bindTraces({ json, services }: Binder): void {
  json(listTraces, (ctx, { query }) => service.listTraces(ctx, query));
  // Costs that this process knows and has not stored yet count, too: people look at sums just after a run.
  json(readTraceCosts, async (ctx, { query }) => {
    await services.traces.flush();
    return costs.readTraceCosts(ctx, query);
  });
  json(readCostEstimate, async (ctx, { params }) => {
    await services.traces.flush();
    return estimate.readCostEstimate(ctx, params.id);
  });
  json(readBudgetUse, async (ctx, { params, query }) => {
    await services.traces.flush();
    return budgets.readBudgetUse(ctx, params.id, query.run_id);
  });
  json(readOwnBudgetUse, async (ctx) => {
    await services.traces.flush();
    return budgets.readOwnBudgetUse(ctx);
  });
  json(readTrace, (ctx, { params }) => service.readTrace(ctx, params.id));
  json(deleteTraces, (ctx) => service.deleteTraces(ctx, services.traces));
}
