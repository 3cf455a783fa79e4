import * as contracts from '@millrace/contracts';
import { cachePrefix } from '../../execution/admission/response-cache.ts';
import type { Binder } from '../../http/bind.ts';
import { requireWorkflow } from '../workflows/access.ts';
import { startRetention } from './history/retention.ts';
import * as history from './history/service.ts';
import { streamEntry } from './http/entry-stream.ts';
import { installExecuteRoutes } from './http/execute-routes.ts';
import { replay } from './replay/service.ts';

const nothing = () => undefined;

export async function bindExecutions(binder: Binder): Promise<void> {
  const { services } = binder;
  await installExecuteRoutes(binder);
  const stopRetention = startRetention(services);
  binder.app.addHook('onClose', () => stopRetention());

  binder.json(contracts.listAllHistory, (ctx, { query }) => history.listAllHistory(ctx, query));
  binder.json(contracts.deleteAllHistory, (ctx, { query }) =>
    history.deleteAllHistory(ctx, query).then(nothing),
  );
  binder.json(contracts.getAnyHistoryEntry, (ctx, { params }) => history.readEntry(ctx, services, params));
  binder.json(contracts.getRunGraph, (ctx, { params }) => history.readGraph(ctx, params.entry_id));
  binder.json(contracts.listActiveExecutions, (ctx, { query }) =>
    history.listActive(ctx, services, query.workflow_id),
  );
  binder.json(contracts.listHistory, (ctx, { params, query }) => history.listHistory(ctx, params.id, query));
  binder.json(contracts.deleteHistory, (ctx, { params }) =>
    history.deleteHistory(ctx, params.id).then(nothing),
  );
  binder.json(contracts.deleteHistoryEntry, (ctx, { params }) =>
    history.deleteEntry(ctx, { entry_id: params.entry_id, workflow_id: params.id }).then(nothing),
  );
  binder.json(contracts.getHistoryEntry, (ctx, { params }) =>
    history.readEntry(ctx, services, { entry_id: params.entry_id, workflow_id: params.id }),
  );
  binder.raw(contracts.streamHistoryEntry, (ctx, { params }, { reply }) =>
    streamEntry(ctx, services, { reply, wanted: { entry_id: params.entry_id, workflow_id: params.id } }),
  );
  binder.json(contracts.cancelExecution, (ctx, { params: { execution_id, id }, query }) =>
    history.cancelRun(ctx, services, { execution_id, workflow_id: id, ...query }),
  );
  binder.json(contracts.replayExecution, (ctx, { params, body }) => replay(ctx, services, { params, body }));
  binder.json(contracts.clearResponseCache, async (ctx, { params }) => {
    const { row } = await requireWorkflow(ctx, params.id, 'read');
    await services.shared_store.forget(cachePrefix(row.id));
    return undefined;
  });
}
