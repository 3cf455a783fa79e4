import { dismissEntries, listInbox, restoreEntries } from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import * as inbox from './service.ts';

export function bindInbox({ json }: Binder): void {
  json(listInbox, (ctx, { query }) => inbox.listInbox(ctx, query));
  json(dismissEntries, (ctx, { body }) => inbox.dismiss(ctx, body.execution_ids));
  json(restoreEntries, (ctx, { body }) => inbox.restore(ctx, body.execution_ids));
}
