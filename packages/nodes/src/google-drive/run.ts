import { isJsonObject, type Json, type JsonObject, readTextAt } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import type { z } from 'zod';
import { type ChoiceContext, type ChoiceRequest, implement, type NodeCall } from '../implement.ts';
import { bytesOfBase64 } from '../kit/files/base64.ts';
import { readBytes } from '../kit/files/read-bytes.ts';
import { buildConnection, path } from '../kit/integration/call-json.ts';
import { driveChoices, quote } from '../kit/integration/drive-choices.ts';
import { connectGoogle, type Google, googleId, strangeAnswer } from '../kit/integration/google.ts';
import { readCount } from '../kit/integration/object-input.ts';
import { collect, listIn } from '../kit/integration/paging.ts';
import { refusedParam } from '../kit/refused-param.ts';
import type { NodeServices } from '../services.ts';
import { googleDriveCredential } from './credential.ts';
import { googleDrive } from './definition.ts';
import { type ExportFormat, FOLDER, selectExportFormat } from './export-format.ts';
import { multipartBody, readBody, transfer } from './transfer.ts';

type Params = z.output<typeof googleDrive.params>;
type Operation = Params['gdOperation'];

/** https://developers.google.com/workspace/drive/api/reference/rest/v3 */
interface Drive {
  readonly params: Params;
  readonly google: Google;
  readonly files: NodeServices['files'];
}

const TITLE = 'Google Drive';
/** As text of a result, which is kept in memory and history. */
const MOST_INLINE_BYTES = 20 * MEGABYTE;
/** Google takes and gives far more in one request of this kind; the limit of stored files counts. */
const MOST_BYTES = 5 * 1024 * MEGABYTE;
const MOST_FILES = 10_000;
const PAGE_SIZE = 1_000;
const FIELDS = 'id,name,mimeType,size,modifiedTime,webViewLink,parents';
const ALL_DRIVES = { supportsAllDrives: true } as const;

export const runGoogleDrive = implement(
  googleDrive,
  async (node: NodeCall<Params>) => {
    const google = await connectGoogle(node, { title: TITLE, credential: googleDriveCredential });
    const operation = node.params.gdOperation;
    const output = await OPERATIONS[operation]({ params: node.params, google, files: node.services.files });
    return { output: { status: 'success', operation, ...output } };
  },
  {
    choices: {
      folders: (context, request) => chosen(context, request, { mime_type: FOLDER }),
      files: (context, request) => chosen(context, request, { not_mime_type: FOLDER }),
    },
  },
);

const OPERATIONS: Readonly<Record<Operation, (drive: Drive) => Promise<JsonObject>>> = {
  async listFolderFiles({ params, google }) {
    const folder_id = params.gdFolderId.trim() === '' ? 'root' : googleId(params, 'gdFolderId');
    const most = readCount(params, 'gdMaxResults', { most: MOST_FILES, usual: 100 });
    const q = searchQuery(folder_id, params);
    const files = await collect(async (next: string | undefined) => {
      const { body } = await google.call({
        path: '/drive/v3/files',
        query: {
          q,
          pageSize: Math.min(most, PAGE_SIZE),
          pageToken: next,
          orderBy: 'folder,name',
          fields: `nextPageToken,files(${FIELDS})`,
          includeItemsFromAllDrives: true,
          ...ALL_DRIVES,
        },
        effect: 'read',
      });
      const token = isJsonObject(body) ? body['nextPageToken'] : undefined;
      return {
        items: listIn(TITLE, body, 'files').map(toDriveFile),
        next: typeof token === 'string' && token !== '' ? token : undefined,
      };
    }, most);
    const listed = files.map(({ id, name, mime_type, size_bytes, modified_time, web_view_link }) => ({
      id,
      name,
      mime_type,
      size_bytes,
      modified_time,
      web_view_link,
      is_folder: mime_type === FOLDER,
    }));
    return { folder_id, count: listed.length, files: listed };
  },
  async downloadFile(drive) {
    const { body, described } = await download(drive, MOST_INLINE_BYTES);
    const content = await readBytes(body);
    const { google_file_id: id, ...rest } = described;
    return { id, ...rest, size_bytes: content.length, content_base64: content.toString('base64') };
  },
  async syncToHeymDrive(drive) {
    const { body, described } = await download(drive, MOST_BYTES);
    const { google_file_id, filename, exported, export_format } = described;
    const { id, mime_type, size_bytes, download_url, ...stored } = await drive.files.store({
      filename,
      body,
    });
    return {
      id,
      google_file_id,
      filename: stored.filename,
      mime_type,
      size_bytes,
      exported,
      export_format,
      download_url,
    };
  },
  async updateFile({ params, google }) {
    const id = googleId(params, 'gdFileId');
    const name = params.gdNewName.trim();
    const content =
      params.gdBase64Content.trim() === ''
        ? undefined
        : bytesOfBase64(params.gdBase64Content, 'gdBase64Content');
    const parent = params.gdNewParentId.trim() === '' ? undefined : googleId(params, 'gdNewParentId');
    const updated = [
      ...(name === '' ? [] : ['name']),
      ...(parent === undefined ? [] : ['parent']),
      ...(content === undefined ? [] : ['content']),
    ];
    if (updated.length === 0) throw refusedParam('gdNewName', 'is empty; enter what is to be changed');
    const moved = parent === undefined ? {} : await moveTo(google, id, parent);
    const query = { fields: FIELDS, ...ALL_DRIVES, ...moved };
    const metadata = name === '' ? {} : { name };
    const file = await (content === undefined
      ? patched(google, { id, metadata, query })
      : uploaded(google, { id, metadata, query, content }));
    const { mime_type, size_bytes, modified_time, name: now } = toDriveFile(file);
    return { id, name: now, mime_type, size_bytes, modified_time, updated };
  },
  removeFile: (drive) => remove(drive, 'gdFileId'),
  removeFolder: (drive) => remove(drive, 'gdFolderId'),
};

interface DriveFile extends JsonObject {
  id: string;
  name: string;
  mime_type: string;
  size_bytes: number | null;
  modified_time: string;
  web_view_link: string;
  parents: string[];
}

function toDriveFile(file: Json): DriveFile {
  if (!isJsonObject(file)) throw strangeAnswer(TITLE, 'a file');
  const text = (name: string) => readTextAt(file, name);
  const { parents } = file;
  return {
    id: text('id'),
    name: text('name'),
    mime_type: text('mimeType'),
    // Documents of Google and folders have no size. Sizes are texts, for they may be longer than a number.
    size_bytes: text('size') === '' ? null : Number(text('size')),
    modified_time: text('modifiedTime'),
    web_view_link: text('webViewLink'),
    parents: Array.isArray(parents) ? parents.filter((id) => typeof id === 'string') : [],
  };
}

async function fetchMetadata({ call }: Google, id: string): Promise<DriveFile> {
  const { body } = await call({
    path: path`/drive/v3/files/${id}`,
    query: { fields: FIELDS, ...ALL_DRIVES },
    effect: 'read',
  });
  return toDriveFile(body);
}

/** Operators of https://developers.google.com/workspace/drive/api/guides/ref-search-terms */
const IS_QUERY = /(^|\s)(contains|=|!=|<=?|>=?|in|has)\s|^not\s/;

function searchQuery(folder: string, params: Params): string {
  const words = params.gdQuery.trim();
  return [
    `${quote(folder)} in parents`,
    ...(params.gdIncludeTrashed ? [] : ['trashed = false']),
    ...(words === '' ? [] : [IS_QUERY.test(words) ? `(${words})` : `name contains ${quote(words)}`]),
  ].join(' and ');
}

interface Download {
  readonly body: AsyncIterable<Uint8Array>;
  readonly described: {
    readonly google_file_id: string;
    readonly filename: string;
    readonly mime_type: string;
    readonly exported: boolean;
    readonly export_format: string | null;
  };
}

async function download({ params, google }: Drive, max_bytes: number): Promise<Download> {
  const id = googleId(params, 'gdFileId');
  const file = await fetchMetadata(google, id);
  const format = selectExportFormat(file.mime_type, params.gdExportFormat);
  if ((file.size_bytes ?? 0) > max_bytes) {
    const most = Math.floor(max_bytes / MEGABYTE);
    throw refusedParam(
      'gdFileId',
      `is larger than ${most} MB; store it in the Drive of this service instead`,
    );
  }
  const address = path`/drive/v3/files/${id}`;
  const query = format
    ? `/export?mimeType=${encodeURIComponent(format.mime_type)}`
    : '?alt=media&supportsAllDrives=true';
  const { body } = await transfer(google, { method: 'GET', path: address + query, max_bytes });
  return {
    body,
    described: {
      google_file_id: id,
      filename: addExtension(params.gdFilename.trim() || file.name, format),
      mime_type: format?.mime_type ?? file.mime_type,
      exported: format !== undefined,
      export_format: format ? format.extension || format.mime_type : null,
    },
  };
}

function addExtension(name: string, format: ExportFormat | undefined): string {
  if (!format?.extension || name.toLowerCase().endsWith(`.${format.extension}`)) return name;
  return `${name}.${format.extension}`;
}

/** A file has one parent; where it is, is said by taking it out of the others. */
async function moveTo(google: Google, id: string, parent: string): Promise<Record<string, string>> {
  const others = (await fetchMetadata(google, id)).parents.filter((one) => one !== parent);
  return { addParents: parent, ...(others.length === 0 ? {} : { removeParents: others.join(',') }) };
}

interface Change {
  readonly id: string;
  readonly metadata: JsonObject;
  readonly query: Readonly<Record<string, string | boolean>>;
}

async function patched({ call }: Google, { id, metadata, query }: Change): Promise<Json> {
  const { body } = await call({
    method: 'PATCH',
    path: path`/drive/v3/files/${id}`,
    query,
    body: metadata,
    effect: 'idempotent',
  });
  return body;
}

const BOUNDARY = 'part-of-the-file-d5c2a1f0b3e94c8e';

async function uploaded(
  google: Google,
  { id, metadata, query, content }: Change & { content: Buffer },
): Promise<Json> {
  const texts = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  const search = new URLSearchParams([['uploadType', 'multipart'], ...texts]);
  const answer = await transfer(google, {
    method: 'PATCH',
    path: `${path`/upload/drive/v3/files/${id}`}?${search.toString()}`,
    body: multipartBody(metadata, content, BOUNDARY),
    content_type: `multipart/related; boundary=${BOUNDARY}`,
    max_bytes: MEGABYTE,
  });
  return readBody(answer);
}

/** A file is not removed where a folder is meant, nor the other way round: a folder takes everything in it along. */
async function remove({ params, google }: Drive, name: 'gdFileId' | 'gdFolderId'): Promise<JsonObject> {
  const id = googleId(params, name);
  const file = await fetchMetadata(google, id);
  const isFolder = file.mime_type === FOLDER;
  if (isFolder !== (name === 'gdFolderId'))
    throw refusedParam(name, isFolder ? 'is a folder' : 'is not a folder');
  const address = path`/drive/v3/files/${id}`;
  if (params.gdPermanentDelete) {
    // Gone already is what was wanted, after a lost answer too.
    await google.call({
      method: 'DELETE',
      path: address,
      query: ALL_DRIVES,
      effect: 'idempotent',
      accepts: [404],
    });
  } else {
    await google.call({
      method: 'PATCH',
      path: address,
      query: { fields: 'id', ...ALL_DRIVES },
      body: { trashed: true },
      effect: 'idempotent',
    });
  }
  return { id, name: file.name, deleted: params.gdPermanentDelete ? 'permanent' : 'trashed' };
}

function chosen(
  { caller, config }: ChoiceContext,
  request: ChoiceRequest,
  wanted: { readonly mime_type?: string; readonly not_mime_type?: string },
) {
  const connection = buildConnection(TITLE, googleDriveCredential, config);
  return driveChoices({ caller, connection }, wanted, request);
}
