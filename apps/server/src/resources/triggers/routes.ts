import { listTriggers } from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import * as service from './service.ts';

export function bindTriggers(binder: Binder): void {
  binder.json(listTriggers, (ctx, { query }) => service.listTriggers(ctx, query));
}
