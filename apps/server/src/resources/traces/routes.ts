import { deleteTraces, listTraces, readTrace, readTraceCosts } from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import * as costs from './costs.ts';
import * as service from './service.ts';

export function bindTraces({ json, services }: Binder): void {
  json(listTraces, (ctx, { query }) => service.listTraces(ctx, query));
  json(readTraceCosts, (ctx, { query }) => costs.readTraceCosts(ctx, query));
  json(readTrace, (ctx, { params }) => service.readTrace(ctx, params.id));
  json(deleteTraces, (ctx) => service.deleteTraces(ctx, services.traces));
}
