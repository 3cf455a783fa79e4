import * as contracts from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import * as drafts from './drafts.ts';
import * as transfer from './import-export/transfer.ts';
import * as service from './service.ts';
import * as versions from './versions.ts';

/** Workflows and their versions (§2.1, §5.8). */
export function bindWorkflows(binder: Binder): void {
  binder.json(contracts.listWorkflows, (context, { query }) => service.listWorkflows(context, query));
  binder.json(contracts.listWorkflowsWithInputs, (context) => service.listWithInputs(context));
  binder.json(contracts.createWorkflow, (context, { body, query }) =>
    service.createWorkflow(context, body, query),
  );
  binder.json(contracts.readWorkflow, (context, { params, query }) =>
    service.readWorkflow(context, params.id, query),
  );
  binder.json(contracts.updateWorkflow, (context, { params, body, query }) =>
    service.updateWorkflow(context, params.id, { input: body, which: query }),
  );
  binder.json(contracts.publishWorkflow, (context, { params, body }) =>
    drafts.publishWorkflow(context, params.id, body ?? {}),
  );
  binder.json(contracts.discardDraft, (context, { params, query }) =>
    drafts.discardDraft(context, params.id, query.base_updated_at),
  );
  binder.json(contracts.deleteWorkflow, async (context, { params }) => {
    await service.deleteWorkflow(context, params.id);
    return undefined;
  });
  binder.json(contracts.listWorkflowDeletions, (context) => service.listDeletions(context));
  binder.json(contracts.listWorkflowProblems, async (context, { params, query }) => ({
    problems: await service.listProblems(context, params.id, query),
  }));
  binder.json(contracts.listWorkflowUses, (context, { params }) => service.listUses(context, params.id));
  binder.json(contracts.getWorkflowQueue, (context, { params }) => service.readQueue(context, params.id));
  binder.json(contracts.duplicateWorkflow, (context, { params, body, query }) =>
    service.duplicateWorkflow(context, params.id, { ...query, name: body?.name }),
  );
  binder.json(contracts.importWorkflow, (context, { body, query }) =>
    transfer.importWorkflow({ ...context, parsers: binder.services.parsers }, body, query),
  );
  binder.raw(contracts.exportWorkflow, async (context, { params, query }, { reply }) => {
    const { file_name, content } = await transfer.exportWorkflow(context, params.id, query);
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
  binder.json(contracts.revertVersion, (context, { params, body }) =>
    versions.revertVersion(context, params.id, {
      id: params.version_id,
      override_reason: body.override_reason,
    }),
  );
  binder.json(contracts.deleteVersions, async (context, { params }) => {
    await versions.deleteVersions(context, params.id);
    return undefined;
  });
}
