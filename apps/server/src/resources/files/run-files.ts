import { buffer } from 'node:stream/consumers';
import type { DriveFile } from '@millrace/contracts';
import { MEGABYTE } from '@millrace/engine/units';
import { derivedId, type NodeFiles, type StoredFile } from '@millrace/nodes/runtime';
import { AppError, forbidden, notFound } from '../../core/app-error.ts';
import { isUuid } from '../../core/ids.ts';
import type { FileOrigin, RunFiles } from '../../ports/run/run-files.ts';
import type { Services } from '../../services.ts';
import { type DocumentReading, parsed } from '../read-document.ts';
import { findActor } from '../run-actor.ts';
import { openContent } from './content.ts';
import { resolveConversion } from './convert.ts';
import { addDefaultLink, changeDefaultLink } from './links.ts';
import * as queries from './queries.ts';
import * as service from './service.ts';
import { type NewFile, storeFile } from './store-file.ts';

type Needed = Pick<Services, 'database' | 'files' | 'config' | 'now' | 'log' | 'parsers'>;

/** Of a file that is read as a whole to be converted. */
const MOST_READ_BYTES = 50 * MEGABYTE;

/** Files as nodes of runs use them, in the Drive of the person that the run is attributed to. */
export const createRunFiles = (needed: Needed): RunFiles => ({
  of: (origin) => createNodeFiles(needed, origin),
});

function createNodeFiles(needed: Needed, origin: FileOrigin): NodeFiles {
  const { files } = needed;
  const asked = () => buildContext(needed, origin.user_id);
  const find = async (reference: string) => visible(await asked(), reference);
  const store = (file: KeptFile) => keep(needed, origin, file);
  return {
    store,
    async list(limit) {
      return (await service.listFiles(await asked(), { limit, offset: 0 })).files.map(toStoredFile);
    },
    async find(reference) {
      const ctx = await asked();
      return toStoredFile(await service.readFile(ctx, (await visible(ctx, reference)).id));
    },
    async open(reference) {
      const ctx = await asked();
      const row = await visible(ctx, reference);
      const file = toStoredFile(await service.readFile(ctx, row.id));
      return { file, body: (await openContent(files, row)).stream as AsyncIterable<Uint8Array> };
    },
    async remove(id) {
      const ctx = await asked();
      if (isUuid(id) && (await queries.visibleById(ctx.db, origin.user_id, id))) {
        await service.deleteFile(ctx, id);
      }
    },
    async changeLink(reference, change) {
      const ctx = await asked();
      const { id } = await visible(ctx, reference);
      await changeDefaultLink(ctx, await service.requireOwn(ctx, id), change);
      return toStoredFile(await service.readFile(ctx, id));
    },
    async shareWithTeams(reference, enabled) {
      const ctx = await asked();
      const { id } = await visible(ctx, reference);
      const { shared_team_count } = await service.setTeamSharing(ctx, id, enabled);
      return { file: toStoredFile(await service.readFile(ctx, id)), team_count: shared_team_count };
    },
    async convert(reference, format, { key, signal }) {
      const row = await find(reference);
      const { filename, convert } = resolveConversion(row, format);
      async function* body() {
        yield await convert(createReading(needed, origin, signal), await readBytes(files, row));
      }
      return store({ filename, body: body(), key });
    },
    async pages(reference, signal) {
      const ctx = await asked();
      const row = await visible(ctx, reference);
      const pages = await pagesIn(createReading(needed, origin, signal), files, row);
      return { file: toStoredFile(await service.readFile(ctx, row.id)), pages };
    },
  };
}

async function buildContext({ database, files, config, now, log }: Needed, user_id: string) {
  const actor = await findActor({ database }, user_id);
  if (!actor) throw forbidden('The account that the run is attributed to is gone');
  return { db: database.db, actor, files, config, now, log };
}

const ADDRESS = /\/api\/files\/(?:(?<kind>dl|ba)\/)?(?<name>[\w-]+)/;

/** Id of the file that an id or one of its addresses names. */
async function resolveFileId(ctx: service.FileContext, reference: string): Promise<string | undefined> {
  const text = reference.trim();
  if (isUuid(text)) return text;
  const { kind, name } = ADDRESS.exec(text)?.groups ?? {};
  if (name === undefined) return undefined;
  if (kind === 'dl') return queries.fileIdOfLink(ctx.db, { token: name });
  if (!isUuid(name)) return undefined;
  // The address of a password names a link or a file.
  return kind === 'ba' ? ((await queries.fileIdOfLink(ctx.db, { id: name })) ?? name) : name;
}

async function visible(ctx: service.FileContext, reference: string): Promise<queries.FileRow> {
  const id = await resolveFileId(ctx, reference);
  if (id === undefined) throw notFound('File');
  return (await service.requireVisible(ctx, id)).file;
}

const toStoredFile = ({ id, filename, mime_type, size_bytes, ...addresses }: DriveFile): StoredFile => ({
  id,
  filename,
  mime_type,
  size_bytes,
  download_url: addresses.download_url ?? addresses.authenticated_download_url,
});

async function readBytes(files: Services['files'], row: queries.FileRow): Promise<Uint8Array> {
  if (row.size_bytes > MOST_READ_BYTES) {
    const most = MOST_READ_BYTES / MEGABYTE;
    throw new AppError('too_large', `"${row.filename}" is larger than ${most} MB, which is the most here`);
  }
  return new Uint8Array(await buffer((await openContent(files, row)).stream));
}

const createReading = (
  { parsers }: Needed,
  { user_id: owner }: FileOrigin,
  signal: AbortSignal,
): DocumentReading => ({ parsers, owner, signal });

async function pagesIn(
  reading: DocumentReading,
  files: Services['files'],
  row: queries.FileRow,
): Promise<string[]> {
  if (row.mime_type !== 'application/pdf') {
    throw new AppError('bad_request', `"${row.filename}" is no PDF file`);
  }
  const { filename } = row;
  return parsed(reading, { filename, bytes: await readBytes(files, row) }, 'pdf_pages');
}

type KeptFile = Pick<NewFile, 'filename' | 'body'> & { readonly key?: string };

async function keep(
  needed: Needed,
  origin: FileOrigin,
  { filename, body, key }: KeptFile,
): Promise<StoredFile> {
  const { database, files, config, now } = needed;
  const { user_id: owner_id, workflow_id, run_id, node_id, node_label } = origin;
  const ctx = await buildContext(needed, owner_id);
  const id = key === undefined ? undefined : derivedId(key);
  const stored = async () => {
    const found = id === undefined ? undefined : await queries.visibleById(database.db, owner_id, id);
    return found && toStoredFile(await service.readFile(ctx, found.file.id));
  };
  const former = await stored();
  if (former) return former;
  const input = {
    ...(id === undefined ? {} : { id }),
    owner_id,
    filename,
    body,
    max_bytes: config.FILE_MAX_SIZE_MB * MEGABYTE,
    workflow_id,
    run_id,
    source_node_id: node_id,
    source_node_label: node_label,
  };
  try {
    const file = await storeFile({ db: database.db, files, now }, input, async (tx, row) => {
      await addDefaultLink({ db: tx, config }, row.id);
    });
    return toStoredFile(await service.readFile(ctx, file.id));
  } catch (error) {
    // Another process that took the run over may have stored it meanwhile.
    const theirs = await stored();
    if (theirs) return theirs;
    throw error;
  }
}
