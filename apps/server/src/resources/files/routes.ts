import type { AnyEndpoint } from '@millrace/contracts';
import * as contracts from '@millrace/contracts';
import { MEGABYTE } from '@millrace/engine/units';
import type { FastifyRequest } from 'fastify';
import type { Binder, SignedInContext } from '../../http/bind.ts';
import { requireFormFile } from '../../http/bodies/uploads.ts';
import { askedRange, sendDownload } from '../../http/downloads.ts';
import { recordRefusedIds } from '../audit/http/watch.ts';
import { memoryAttempts } from './attempts.ts';
import { openContent, zipFiles } from './content.ts';
import * as links from './links.ts';
import * as service from './service.ts';

/** Files of the Drive, their links and their sharing (§2.5, §4.6). */
export function bindFiles(binder: Binder): void {
  const { files } = binder.services;
  const withFiles = <C>(ctx: C) => ({ ...ctx, files });

  binder.json(contracts.listFiles, (ctx, { query }) => service.listFiles(ctx, query));
  binder.json(contracts.deleteAllFiles, async (ctx) => {
    await service.deleteAllFiles(withFiles(ctx));
    return undefined;
  });
  binder.raw(contracts.uploadFile, async (ctx, { query }, { request, reply }) => {
    const upload = await requireFormFile(request, ctx.config.FILE_MAX_SIZE_MB * MEGABYTE);
    const share_with_my_teams = query.share_with_my_teams ?? upload.field('share_with_my_teams') === 'true';
    const sent = { filename: upload.filename, body: upload.stream };
    const file = await service.uploadFile(withFiles(ctx), sent, { share_with_my_teams });
    return reply.send(contracts.driveFile.parse(file));
  });
  binder.json(contracts.readFile, (ctx, { params }) => service.readFile(ctx, params.id));
  binder.json(contracts.deleteFile, async (ctx, { params }) => {
    await service.deleteFile(withFiles(ctx), params.id);
    return undefined;
  });
  binder.json(contracts.setFileTeamSharing, (ctx, { params, body }) =>
    service.setTeamSharing(withFiles(ctx), params.id, body.enabled),
  );
  binder.raw(contracts.downloadFile, async (ctx, { params }, { request, reply }) => {
    const { file } = await service.requireVisible(ctx, params.id);
    return sendDownload(reply, await openContent(files, file, askedRange(request)));
  });
  bindLinks(binder);
  bindBulk(binder);
}

function bindLinks(binder: Binder): void {
  const { files, now } = binder.services;
  const attempts = memoryAttempts(now);
  const linkRequest = (request: FastifyRequest) => ({
    authorization: request.headers.authorization,
    attempts,
    downloads: request.method !== 'HEAD',
  });

  binder.json(contracts.listFileLinks, async (ctx, { params }) => {
    await service.requireOwn(ctx, params.id);
    return links.listLinks(ctx, params.id);
  });
  binder.json(contracts.createFileLink, async (ctx, { params, body }) =>
    links.createLink(ctx, await service.requireOwn(ctx, params.id), body ?? {}),
  );
  binder.json(contracts.deleteFileLink, async (ctx, { params }) => {
    await links.deleteLink(ctx, await service.requireOwn(ctx, params.id), params.link_id);
    return undefined;
  });
  const openLinked = ({ file, is_limited }: links.LinkedFile, request: FastifyRequest) =>
    openContent(files, file, is_limited ? undefined : askedRange(request));
  binder.raw(contracts.downloadByLink, async (ctx, { params }, { request, reply }) => {
    const linked = await links.fileOfToken(ctx, params.token, linkRequest(request));
    return sendDownload(reply, await openLinked(linked, request));
  });
  binder.raw(contracts.downloadByPassword, async (ctx, { params }, { request, reply }) => {
    const linked = await links.fileOfPassword(ctx, params.id, linkRequest(request));
    return sendDownload(reply, await openLinked(linked, request));
  });
}

function bindBulk(binder: Binder): void {
  const { files } = binder.services;
  const refusals = (ctx: SignedInContext, endpoint: AnyEndpoint) => (ids: readonly string[]) =>
    recordRefusedIds(ctx, endpoint, ids);

  binder.json(contracts.bulkDeleteFiles, (ctx, { body }) =>
    service.forEachFile(
      body.file_ids,
      (id) => service.deleteFile({ ...ctx, files }, id),
      refusals(ctx, contracts.bulkDeleteFiles),
    ),
  );
  binder.json(contracts.bulkShareFiles, (ctx, { body: { file_ids, ...input } }) =>
    service.forEachFile(
      file_ids,
      async (id) => links.createLink(ctx, await service.requireOwn(ctx, id), input),
      refusals(ctx, contracts.bulkShareFiles),
    ),
  );
  binder.json(contracts.bulkTeamShareFiles, (ctx, { body }) =>
    service.forEachFile(
      body.file_ids,
      (id) => service.setTeamSharing({ ...ctx, files }, id, body.enabled),
      refusals(ctx, contracts.bulkTeamShareFiles),
    ),
  );
  binder.raw(contracts.bulkDownloadFiles, async (ctx, { body }, { reply }) => {
    const rows = await service.requireSome(ctx, body.file_ids);
    return sendDownload(reply, zipFiles(files, rows));
  });
}
