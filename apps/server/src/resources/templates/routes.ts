import * as contracts from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import * as service from './service.ts';

/** Templates of workflows and of nodes (§2.5). */
export function bindTemplates(binder: Binder): void {
  binder.json(contracts.listTemplates, (ctx, { query }) => service.listTemplates(ctx, query));
  binder.json(contracts.createTemplate, (ctx, { body }) => service.createTemplate(ctx, body));
  bindKind(binder, contracts.workflowTemplates, { kind: 'workflow', read: service.readWorkflowTemplate });
  bindKind(binder, contracts.nodeTemplates, { kind: 'node', read: service.readNodeTemplate });
}

interface KindOfTemplate {
  readonly kind: 'workflow' | 'node';
  read(ctx: service.Reader, id: string): Promise<service.AnyTemplate>;
}

function bindKind(
  binder: Binder,
  endpoints: typeof contracts.workflowTemplates | typeof contracts.nodeTemplates,
  { kind, read }: KindOfTemplate,
): void {
  const named = (id: string) => ({ kind, id });
  binder.json(endpoints.read, (ctx, { params }) => read(ctx, params.id));
  binder.json(endpoints.update, async (ctx, { params, body }) => {
    await service.updateTemplate(ctx, named(params.id), body);
    return read(ctx, params.id);
  });
  binder.json(endpoints.remove, async (ctx, { params }) => {
    await service.deleteTemplate(ctx, named(params.id));
    return undefined;
  });
  binder.json(endpoints.use, async (ctx, { params }) => {
    await service.countUse(ctx, named(params.id));
    return read(ctx, params.id);
  });
}
