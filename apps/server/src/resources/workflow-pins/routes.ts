import { listWorkflowPins, pinWorkflow, unpinWorkflow } from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import * as service from './service.ts';

/** The workflows that a person keeps at hand. */
export function bindWorkflowPins(binder: Binder): void {
  binder.json(listWorkflowPins, (ctx) => service.listPins(ctx));
  binder.json(pinWorkflow, (ctx, { params }) => service.pinWorkflow(ctx, params.id));
  binder.json(unpinWorkflow, (ctx, { params }) => service.unpinWorkflow(ctx, params.id));
}
