import * as contracts from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import * as service from './service.ts';

/** Alerts of one account. */
export function bindAlerts(binder: Binder): void {
  binder.json(contracts.listAlerts, (ctx) => service.listAlerts(ctx));
  binder.json(contracts.createAlert, (ctx, { body }) => service.createAlert(ctx, body));
  binder.json(contracts.readAlert, (ctx, { params }) => service.readAlert(ctx, params.id));
  binder.json(contracts.updateAlert, (ctx, { params, body }) => service.updateAlert(ctx, params.id, body));
  binder.json(contracts.deleteAlert, async (ctx, { params }) => {
    await service.deleteAlert(ctx, params.id);
    return undefined;
  });
}
