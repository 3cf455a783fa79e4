import * as contracts from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import * as service from './service.ts';
import * as transfer from './transfer.ts';
import * as versions from './versions.ts';

/** Workflows and their versions (§2.1, §5.8). */
export function bindWorkflows(binder: Binder): void {
  binder.json(contracts.listWorkflows, (context, { query }) => service.listWorkflows(context, query));
  binder.json(contracts.listWorkflowsWithInputs, (context) => service.listWithInputs(context));
  binder.json(contracts.createWorkflow, (context, { body }) => service.createWorkflow(context, body));
  binder.json(contracts.readWorkflow, (context, { params }) => service.readWorkflow(context, params.id));
  binder.json(contracts.updateWorkflow, (context, { params, body }) =>
    service.updateWorkflow(context, params.id, body),
  );
  binder.json(contracts.deleteWorkflow, async (context, { params }) => {
    await service.deleteWorkflow(context, params.id);
    return undefined;
  });
  binder.json(contracts.listWorkflowProblems, async (context, { params }) => ({
    problems: await service.listProblems(context, params.id),
  }));
  binder.json(contracts.listWorkflowUses, (context, { params }) => service.listUses(context, params.id));
  binder.json(contracts.duplicateWorkflow, (context, { params, body }) =>
    service.duplicateWorkflow(context, params.id, body?.name),
  );
  binder.json(contracts.importWorkflow, (context, { body }) => transfer.importWorkflow(context, body));
  binder.raw(contracts.exportWorkflow, async (context, { params }, { reply }) => {
    const { file_name, content } = await transfer.exportWorkflow(context, params.id);
    // RFC 6266: a plain name for old clients, the real one encoded.
    const names = `filename="workflow.json"; filename*=UTF-8''${encodeURIComponent(file_name)}`;
    return reply.header('Content-Disposition', `attachment; ${names}`).type('application/json').send(content);
  });
  bindVersions(binder);
}

function bindVersions(binder: Binder): void {
  binder.json(contracts.listVersions, (context, { params, query }) =>
    versions.listVersions(context, params.id, query),
  );
  binder.json(contracts.readVersion, (context, { params }) =>
    versions.readVersion(context, params.id, params.version_id),
  );
  binder.json(contracts.diffVersion, (context, { params, query }) =>
    versions.diffVersions(context, params.id, { id: params.version_id, compare_to: query.compare_to }),
  );
  binder.json(contracts.revertVersion, (context, { params }) =>
    versions.revertVersion(context, params.id, params.version_id),
  );
  binder.json(contracts.deleteVersions, async (context, { params }) => {
    await versions.deleteVersions(context, params.id);
    return undefined;
  });
}
