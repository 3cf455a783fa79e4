import * as contracts from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import * as service from './service.ts';

/** Evals that have to pass before a draft is published. */
export function bindPublishGates({ json, services }: Binder): void {
  json(contracts.readPublishGate, (ctx, { params }) => service.readPublishGate(ctx, params.id));
  json(contracts.setPublishGate, (ctx, { params, body }) =>
    service.chooseGateSuites(ctx, params.id, body.suites),
  );
  json(contracts.runPublishGate, (ctx, { params }) =>
    service.runPublishGate({ ...ctx, parsers: services.parsers }, params.id),
  );
}
