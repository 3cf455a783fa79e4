import * as contracts from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import * as service from './service.ts';
import { startSnapshots } from './upkeep.ts';

export function bindAnalytics(binder: Binder): void {
  const stop = startSnapshots(binder.services);
  binder.app.addHook('onClose', () => stop());

  binder.json(contracts.getStats, (ctx, { query }) => service.readStats(ctx, query));
  binder.json(contracts.getWorkflowStats, (ctx, { params, query }) =>
    service.readStats(ctx, { ...query, ...params }),
  );
  binder.json(contracts.getMetrics, (ctx, { query }) => service.readMetrics(ctx, query));
  binder.json(contracts.getWorkflowMetrics, (ctx, { params, query }) =>
    service.readMetrics(ctx, { ...query, ...params }),
  );
  binder.json(contracts.listWorkflowStats, (ctx, { query }) => service.listWorkflowStats(ctx, query));
  binder.json(contracts.rebuildAnalytics, (ctx, { body }) => service.rebuild(ctx, body));
}
