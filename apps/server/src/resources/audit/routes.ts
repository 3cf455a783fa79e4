import { listAudit } from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import * as service from './service.ts';

export function bindAudit(binder: Binder): void {
  binder.json(listAudit, (ctx, { query }) => service.listAudit(ctx, query));
}
