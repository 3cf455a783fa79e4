import { dismissEntries, listInbox, restoreEntries, sendDeliveries } from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import { sendAgain } from './http/send-again.ts';
import * as inbox from './service.ts';

export function bindInbox({ json, services }: Binder): void {
  json(listInbox, (ctx, { query }) => inbox.listInbox(ctx, query));
  json(dismissEntries, (ctx, { body }) => inbox.dismiss(ctx, body.execution_ids));
  json(restoreEntries, (ctx, { body }) => inbox.restore(ctx, body.execution_ids));
  json(sendDeliveries, (ctx, { body }) => sendAgain(services, ctx, body.delivery_ids));
}
