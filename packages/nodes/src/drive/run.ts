import type { JsonObject } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import type { z } from 'zod';
import { implement, type NodeCall } from '../implement.ts';
import { fileRecord } from '../kit/files/file-record.ts';
import { fileReferenceIn } from '../kit/files/file-reference.ts';
import { readBytes } from '../kit/files/read-bytes.ts';
import { readCount, requiredText } from '../kit/integration/object-input.ts';
import { refusedParam } from '../kit/refused-param.ts';
import type { FileLinkChange, NodeFiles, StoredFile } from '../services.ts';
import { drive } from './definition.ts';
import { createContentSource, createDownloadSource } from './source.ts';

type Params = z.output<typeof drive.params>;
type Call = NodeCall<Params>;

/** As text of a result, which is kept in memory and history. */
const MOST_INLINE_BYTES = 20 * MEGABYTE;
const MOST_FILES = 1_000;
/** Bounds of passwords of links, as the API of files has them. */
const SHORTEST_PASSWORD = 4;
const LONGEST_PASSWORD = 200;

export const runDrive = implement(drive, async (call: Call) => {
  const operation = call.params.driveOperation;
  return { output: { status: 'success', operation, ...(await OPERATIONS[operation](call)) } };
});

const OPERATIONS: Readonly<Record<Params['driveOperation'], (call: Call) => Promise<JsonObject>>> = {
  async get({ params, services: { files } }) {
    const file = await files.find(fileReferenceIn(params, 'driveFileId'));
    return params.driveIncludeBinary ? withContent(files, file) : fileRecord(file);
  },
  async getAll({ params, services }) {
    const most = readCount(params, 'driveLimit', { most: MOST_FILES, usual: MOST_FILES });
    const files = (await services.files.list(most)).map(fileRecord);
    return { files, count: files.length };
  },
  async downloadUrl({ params, services, signal, idempotency_key: key }) {
    const source = createDownloadSource(params, services.http, signal);
    return fileRecord(await services.files.store({ ...source, key }));
  },
  async save({ params, services, idempotency_key: key }) {
    return fileRecord(await services.files.store({ ...createContentSource(params), key }));
  },
  async convertFile({ params, services, idempotency_key: key, signal }) {
    const reference = fileReferenceIn(params, 'driveFileId');
    const format = requiredText(params, 'driveConvertTargetFormat');
    return fileRecord(await services.files.convert(reference, format, { key, signal }));
  },
  setPassword: (call) => changeLink(call, { password: readPassword(call.params) }),
  setTtl: (call) => changeLink(call, { expires_hours: requiredNumber(call.params, 'driveTtlHours') }),
  setMaxDownloads: (call) =>
    changeLink(call, { max_downloads: requiredNumber(call.params, 'driveMaxDownloads') }),
  shareWithMyTeams: (call) => share(call, true),
  unshareWithMyTeams: (call) => share(call, false),
  async delete(call) {
    const { files } = call.services;
    const reference = fileReferenceIn(call.params, 'driveFileId');
    const { id, filename } = await call.step('file', 'read', async () =>
      fileRecord(await files.find(reference)),
    );
    await call.step('delete', 'idempotent', async () => {
      await files.remove(id);
      return null;
    });
    return { file_id: id, filename };
  },
};

async function withContent(files: NodeFiles, file: StoredFile): Promise<JsonObject> {
  if (file.size_bytes > MOST_INLINE_BYTES) {
    const most = MOST_INLINE_BYTES / MEGABYTE;
    throw refusedParam(
      'driveFileId',
      `is larger than ${most} MB; pass on its address instead of its content`,
    );
  }
  const content = await readBytes((await files.open(file.id)).body);
  return { ...fileRecord(file), file_base64: content.toString('base64') };
}

async function changeLink({ params, services }: Call, change: FileLinkChange): Promise<JsonObject> {
  const file = await services.files.changeLink(fileReferenceIn(params, 'driveFileId'), change);
  return { file_id: file.id, filename: file.filename, download_url: file.download_url };
}

async function share({ params, services }: Call, enabled: boolean): Promise<JsonObject> {
  const reference = fileReferenceIn(params, 'driveFileId');
  const { file, team_count } = await services.files.shareWithTeams(reference, enabled);
  return { file_id: file.id, filename: file.filename, shared_team_count: team_count };
}

/** As it is written: space at its ends is a part of it. */
function readPassword({ drivePassword }: Params): string {
  const { length } = drivePassword;
  if (length >= SHORTEST_PASSWORD && length <= LONGEST_PASSWORD) return drivePassword;
  throw refusedParam(
    'drivePassword',
    `must have ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters, not ${length}`,
  );
}

function requiredNumber(params: Params, name: 'driveTtlHours' | 'driveMaxDownloads'): number {
  const value = params[name];
  if (typeof value === 'number') return value;
  throw refusedParam(name, 'is empty; enter a number');
}
