import { listSchedules, listTriggers, pauseTrigger, resumeTrigger, runTrigger } from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import { runNow } from './http/run-now.ts';
import { setPaused } from './pause.ts';
import { listDueTimes } from './schedules.ts';
import * as service from './service.ts';

export function bindTriggers(binder: Binder): void {
  binder.json(listTriggers, (ctx, { query }) => service.listTriggers(ctx, query));
  binder.json(pauseTrigger, (ctx, { params: { id, node_id } }) =>
    setPaused(ctx, id, { node_id, is_paused: true }),
  );
  binder.json(resumeTrigger, (ctx, { params: { id, node_id } }) =>
    setPaused(ctx, id, { node_id, is_paused: false }),
  );
  binder.json(runTrigger, (ctx, { params: { id, node_id } }) =>
    runNow(binder.services, ctx, { workflow_id: id, node_id }),
  );
  binder.json(listSchedules, (ctx, { query }) => listDueTimes(ctx, query));
}
