import { deleteTraces, listTraces, readCostEstimate, readTrace, readTraceCosts } from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import * as costs from './costs.ts';
import * as estimate from './estimate.ts';
import * as service from './service.ts';

export function bindTraces({ json, services }: Binder): void {
  json(listTraces, (ctx, { query }) => service.listTraces(ctx, query));
  // What this process knows and has not stored yet counts, too: people look at sums just after a run.
  json(readTraceCosts, async (ctx, { query }) => {
    await services.traces.flush();
    return costs.readTraceCosts(ctx, query);
  });
  json(readCostEstimate, async (ctx, { params }) => {
    await services.traces.flush();
    return estimate.readCostEstimate(ctx, params.id);
  });
  json(readTrace, (ctx, { params }) => service.readTrace(ctx, params.id));
  json(deleteTraces, (ctx) => service.deleteTraces(ctx, services.traces));
}
