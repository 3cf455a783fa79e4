import { buffer } from 'node:stream/consumers';
import * as contracts from '@millrace/contracts';
import { limited } from '../../core/limited.ts';
import type { Binder } from '../../http/bind.ts';
import { requireUpload } from '../../http/bodies/uploads.ts';
import { sendDownload } from '../../http/downloads.ts';
import { ARCHIVE_LIMITS } from '../folders/archive.ts';
import { bindTeamShares, bindUserShares } from '../shares/http/bind-shares.ts';
import { skillShareable } from '../shares/shareable.ts';
import { exportSkill, importSkills } from './archive.ts';
import * as service from './service.ts';

/** The library of skills, with their versions and their sharing (§2.5). */
export function bindSkills(binder: Binder): void {
  binder.json(contracts.listSkills, (ctx, { query }) => service.listSkills(ctx, query));
  binder.json(contracts.createSkill, (ctx, { body }) => service.createSkill(ctx, body));
  binder.json(contracts.readSkill, (ctx, { params }) => service.readSkill(ctx, params.id));
  binder.json(contracts.updateSkill, (ctx, { params, body }) =>
    service.updateSkill(ctx, { id: params.id, ...body }),
  );
  binder.json(contracts.listSkillUses, (ctx, { params }) => service.listUses(ctx, params.id));
  binder.json(contracts.deleteSkill, async (ctx, { params, query }) => {
    await service.deleteSkill(ctx, { id: params.id, force: query.force === true });
    return undefined;
  });
  binder.json(contracts.listSkillVersions, (ctx, { params, query }) =>
    service.listVersions(ctx, { id: params.id, ...query }),
  );
  binder.json(contracts.readSkillVersion, (ctx, { params }) => service.readVersion(ctx, params));
  binder.json(contracts.restoreSkillVersion, (ctx, { params }) => service.restoreVersion(ctx, params));
  bindArchives(binder);
  bindUserShares(binder, skillShareable, contracts.skillUserShares);
  bindTeamShares(binder, skillShareable, contracts.skillTeamShares);
}

function bindArchives(binder: Binder): void {
  binder.raw(contracts.importSkills, async (ctx, { query }, { request, reply }) => {
    const { stream } = await requireUpload(request, ARCHIVE_LIMITS.archive_bytes);
    const bytes = await buffer(limited(stream, ARCHIVE_LIMITS.archive_bytes));
    const result = await importSkills(ctx, { bytes, replace: query.replace === true });
    return reply.code(201).send(contracts.skillImport.parse(result));
  });
  binder.raw(contracts.exportSkill, async (ctx, { params }, { reply }) => {
    const { filename, stream } = await exportSkill(ctx, params.id);
    return sendDownload(reply, { filename, mime_type: 'application/zip', stream });
  });
}
