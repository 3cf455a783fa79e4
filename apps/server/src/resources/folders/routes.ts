import { buffer } from 'node:stream/consumers';
import * as contracts from '@millrace/contracts';
import { limited } from '../../core/limited.ts';
import type { Binder } from '../../http/bind.ts';
import { requireUpload } from '../../http/bodies/uploads.ts';
import { sendDownload } from '../../http/downloads.ts';
import { ARCHIVE_LIMITS } from './archive.ts';
import { exportFolder } from './export.ts';
import { importFolder } from './import.ts';
import { cancelDeletion, scheduleDeletion } from './scheduling.ts';
import * as service from './service.ts';

/** Folders and the deletion schedule of workflows (§4.5). */
export function bindFolders(binder: Binder): void {
  binder.json(contracts.listFolders, (ctx) => service.listFolders(ctx));
  binder.json(contracts.readFolderTree, (ctx) => service.readTree(ctx));
  binder.json(contracts.readFolder, (ctx, { params }) => service.readFolder(ctx, params.id));
  binder.json(contracts.createFolder, (ctx, { body }) => service.createFolder(ctx, body));
  binder.json(contracts.updateFolder, (ctx, { params, body }) =>
    service.updateFolder(ctx, { id: params.id, ...body }),
  );
  binder.json(contracts.deleteFolder, async (ctx, { params }) => {
    await service.deleteFolder(ctx, params.id);
    return undefined;
  });
  binder.json(contracts.moveWorkflowToFolder, (ctx, { params }) => service.placeWorkflow(ctx, params));
  binder.json(contracts.removeWorkflowFromFolder, (ctx, { params }) =>
    service.placeWorkflow(ctx, { workflow_id: params.workflow_id, folder_id: null }),
  );

  binder.raw(contracts.exportFolder, async (ctx, { params }, { reply }) => {
    const { file_name, stream } = await exportFolder(ctx, params.id);
    return sendDownload(reply, { filename: file_name, mime_type: 'application/zip', stream });
  });
  binder.raw(contracts.importFolder, async (ctx, { query }, { request, reply }) => {
    const { stream } = await requireUpload(request, ARCHIVE_LIMITS.archive_bytes);
    const bytes = await buffer(limited(stream, ARCHIVE_LIMITS.archive_bytes));
    const result = await importFolder(
      { ...ctx, parsers: binder.services.parsers },
      {
        bytes,
        parent_id: query.parent_id ?? null,
        as_draft: query.draft,
      },
    );
    return reply.code(201).send(contracts.folderImport.parse(result));
  });

  binder.json(contracts.scheduleDeletion, (ctx, { params }) => scheduleDeletion(ctx, params.id));
  binder.json(contracts.cancelDeletion, (ctx, { params }) => cancelDeletion(ctx, params.id));
}
