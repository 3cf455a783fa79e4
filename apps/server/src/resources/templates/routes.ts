import * as contracts from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import * as service from './service.ts';

/** Templates of workflows and of nodes (§2.5). */
export function bindTemplates(binder: Binder): void {
  binder.json(contracts.listTemplates, (ctx, { query }) => service.listTemplates(ctx, query));
  binder.json(contracts.createTemplate, (ctx, { body }) => service.createTemplate(ctx, body));
  bindWorkflowTemplates(binder);
  bindNodeTemplates(binder);
}

function bindWorkflowTemplates(binder: Binder): void {
  const { read, update, remove, use } = contracts.workflowTemplates;
  const named = (id: string) => ({ kind: 'workflow', id }) as const;
  binder.json(read, (ctx, { params }) => service.readWorkflowTemplate(ctx, params.id));
  binder.json(update, async (ctx, { params, body }) => {
    await service.updateTemplate(ctx, named(params.id), body);
    return service.readWorkflowTemplate(ctx, params.id);
  });
  binder.json(remove, async (ctx, { params }) => {
    await service.deleteTemplate(ctx, named(params.id));
    return undefined;
  });
  binder.json(use, async (ctx, { params }) => {
    await service.countUse(ctx, named(params.id));
    return service.readWorkflowTemplate(ctx, params.id);
  });
}

function bindNodeTemplates(binder: Binder): void {
  const { read, update, remove, use } = contracts.nodeTemplates;
  const named = (id: string) => ({ kind: 'node', id }) as const;
  binder.json(read, (ctx, { params }) => service.readNodeTemplate(ctx, params.id));
  binder.json(update, async (ctx, { params, body }) => {
    await service.updateTemplate(ctx, named(params.id), body);
    return service.readNodeTemplate(ctx, params.id);
  });
  binder.json(remove, async (ctx, { params }) => {
    await service.deleteTemplate(ctx, named(params.id));
    return undefined;
  });
  binder.json(use, async (ctx, { params }) => {
    await service.countUse(ctx, named(params.id));
    return service.readNodeTemplate(ctx, params.id);
  });
}
