import type { JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { emptyDrive } from '../testing/fake-services.ts';
import { routedEgress } from '../testing/routed-egress.ts';
import { runNode } from '../testing/run-node.ts';
import { type SeenRequest, type ServerAnswer, serveJson } from '../testing/servers/json-server.ts';
import { selectExportFormat } from './export-format.ts';

const FILES = '/drive/v3/files';
const FOLDER = 'application/vnd.google-apps.folder';
const file = {
  id: 'file-1',
  name: 'Ünfall.bin',
  mimeType: 'application/octet-stream',
  size: '5',
  parents: ['old-parent'],
};
const doc = {
  id: 'doc-12',
  name: 'Letter',
  mimeType: 'application/vnd.google-apps.document',
  parents: ['old-parent'],
};
const folder = { id: 'folder-1', name: 'Orders', mimeType: FOLDER };
const known: Record<string, JsonObject> = { 'file-1': file, 'doc-12': doc, 'folder-1': folder };
const refusal = (status: number, message: string, reason = 'x'): ServerAnswer => ({
  status,
  body: { error: { code: status, message, errors: [{ reason }] } },
});

/** Strict about what https://developers.google.com/workspace/drive/api/reference/rest/v3 describes. */
function driveApi({ method, path, headers, query, body }: SeenRequest): ServerAnswer {
  if (headers['authorization'] !== 'Bearer canary-token') return refusal(401, 'Invalid Credentials');
  if (path.endsWith('/export')) {
    return query['mimeType'] === 'application/pdf'
      ? { headers: { 'content-type': 'application/pdf' }, body: '%PDF-1.7' }
      : refusal(400, 'The requested conversion is not supported.', 'badRequest');
  }
  if (query['supportsAllDrives'] !== 'true') return refusal(404, 'File not found: it is on a shared drive.');
  if (method === 'GET' && path === FILES) {
    const found = {
      id: 'a-1',
      name: 'A',
      mimeType: 'text/plain',
      size: '12',
      modifiedTime: 't',
      webViewLink: 'w',
    };
    return query['pageToken'] === 'p2'
      ? { body: { files: [folder] } }
      : { body: { files: [found], nextPageToken: 'p2' } };
  }
  const id = path.split('/').at(-1) ?? '';
  const one = known[id];
  if (!one) return refusal(404, `File not found: ${id}.`, 'notFound');
  switch (method) {
    case 'GET':
      return query['alt'] === 'media'
        ? { headers: { 'content-type': 'application/octet-stream' }, body: '{"a"}' }
        : { body: one };
    case 'PATCH': {
      const isUpload = path.startsWith('/upload/');
      if (
        isUpload &&
        (query['uploadType'] !== 'multipart' ||
          !headers['content-type']?.startsWith('multipart/related; boundary='))
      )
        return refusal(400, 'Bad upload');
      return {
        body: {
          ...one,
          ...(isUpload ? { size: '3' } : Object(body)),
          modifiedTime: '2026-01-02T03:04:05Z',
        },
      };
    }
    case 'DELETE':
      return { status: 204 };
    default:
      return refusal(405, 'method');
  }
}

async function run(data: JsonObject, api = driveApi) {
  const server = await serveJson(api);
  const stored: string[] = [];
  const result = await runNode(
    'googleDrive',
    { credentialId: 'c', ...data },
    {
      services: {
        http: routedEgress({ 'www.googleapis.com': server.url }),
        credential: (id) =>
          Promise.resolve({ id, name: 'g', type: 'google_drive', values: { access_token: 'canary-token' } }),
        files: {
          ...emptyDrive(),
          async store({ filename, body }) {
            const chunks: Uint8Array[] = [];
            for await (const chunk of body) chunks.push(chunk);
            stored.push(Buffer.concat(chunks).toString());
            return {
              id: 'own-1',
              filename: typeof filename === 'function' ? filename() : filename,
              mime_type: 'application/pdf',
              size_bytes: 8,
              download_url: '/dl/1',
            };
          },
        },
      },
    },
  );
  return { result, seen: server.seen, stored };
}

test('a folder is listed on all pages, without what is in the trash', async () => {
  const data = {
    gdFolderId: 'https://drive.google.com/drive/folders/folder-1?usp=sharing',
    gdQuery: "o'clock",
  };
  const { result, seen } = await run(data);
  expect(result).toEqual({
    output: {
      status: 'success',
      operation: 'listFolderFiles',
      folder_id: 'folder-1',
      count: 2,
      files: [
        {
          id: 'a-1',
          name: 'A',
          mime_type: 'text/plain',
          size_bytes: 12,
          modified_time: 't',
          web_view_link: 'w',
          is_folder: false,
        },
        {
          id: 'folder-1',
          name: 'Orders',
          mime_type: FOLDER,
          size_bytes: null,
          modified_time: '',
          web_view_link: '',
          is_folder: true,
        },
      ],
    },
  });
  expect(seen[0]?.query['q']).toBe("'folder-1' in parents and trashed = false and name contains 'o\\'clock'");
});

test.each([
  [
    { gdQuery: "mimeType = 'text/csv'", gdIncludeTrashed: true },
    "'root' in parents and (mimeType = 'text/csv')",
  ],
  [{}, "'root' in parents and trashed = false"],
])('%o searches for %s', async (data, q) => {
  expect((await run(data)).seen[0]?.query['q']).toBe(q);
});

test('a file is downloaded byte by byte', async () => {
  const { result } = await run({
    gdOperation: 'downloadFile',
    gdFileId: 'https://drive.google.com/file/d/file-1/view',
  });
  expect(result).toEqual({
    output: {
      status: 'success',
      operation: 'downloadFile',
      id: 'file-1',
      filename: 'Ünfall.bin',
      mime_type: 'application/octet-stream',
      size_bytes: 5,
      exported: false,
      export_format: null,
      content_base64: Buffer.from('{"a"}').toString('base64'),
    },
  });
});

test('a document is exported and stored as a stream', async () => {
  const { result, stored } = await run({
    gdOperation: 'syncToHeymDrive',
    gdFileId: 'doc-12',
    gdExportFormat: 'PDF',
  });
  expect(stored).toEqual(['%PDF-1.7']);
  expect(result).toEqual({
    output: {
      status: 'success',
      operation: 'syncToHeymDrive',
      id: 'own-1',
      google_file_id: 'doc-12',
      filename: 'Letter.pdf',
      mime_type: 'application/pdf',
      size_bytes: 8,
      exported: true,
      export_format: 'pdf',
      download_url: '/dl/1',
    },
  });
});

test('a file is renamed and moved', async () => {
  const { result, seen } = await run({
    gdOperation: 'updateFile',
    gdFileId: 'file-1',
    gdNewName: 'New',
    gdNewParentId: 'folder-1',
  });
  expect(result).toMatchObject({ output: { name: 'New', updated: ['name', 'parent'] } });
  expect(seen.at(-1)).toMatchObject({
    method: 'PATCH',
    path: `${FILES}/file-1`,
    query: { addParents: 'folder-1', removeParents: 'old-parent' },
    body: { name: 'New' },
  });
});

test('name and content change in one request', async () => {
  const { result, seen } = await run({
    gdOperation: 'updateFile',
    gdFileId: 'file-1',
    gdNewName: 'New',
    gdBase64Content: Buffer.from('abc').toString('base64'),
  });
  expect(result).toMatchObject({ output: { size_bytes: 3, updated: ['name', 'content'] } });
  expect(seen.at(-1)?.path).toBe(`/upload${FILES}/file-1`);
  expect(seen.at(-1)?.body).toMatch(
    /\{"name":"New"\}\r\n--.*\r\nContent-Type: application\/octet-stream\r\n\r\nabc\r\n--.*--\r\n$/s,
  );
});

test.each<[string, JsonObject, string, string]>([
  ['removeFile', { gdFileId: 'file-1' }, 'trashed', 'PATCH'],
  ['removeFolder', { gdFolderId: 'folder-1', gdPermanentDelete: true }, 'permanent', 'DELETE'],
])('%s %o', async (gdOperation, data, deleted, method) => {
  const { result, seen } = await run({ gdOperation, ...data });
  expect(result).toMatchObject({ output: { deleted } });
  expect(seen.at(-1)?.method).toBe(method);
});

test.each<[JsonObject, string]>([
  [{ gdOperation: 'removeFile', gdFileId: 'folder-1' }, 'gdFileId'],
  [{ gdOperation: 'removeFolder', gdFolderId: 'file-1' }, 'gdFolderId'],
  [{ gdOperation: 'updateFile', gdFileId: 'file-1' }, 'gdNewName'],
  [{ gdOperation: 'updateFile', gdFileId: 'file-1', gdBase64Content: '%%%' }, 'gdBase64Content'],
  [{ gdOperation: 'downloadFile', gdFileId: 'doc-12', gdExportFormat: 'exe' }, 'gdExportFormat'],
])('%o is refused by field', async (data, field) => {
  const { result, seen } = await run(data);
  expect(result).toMatchObject({ failure: { kind: 'params', field } });
  expect(seen.every(({ method }) => method === 'GET')).toBe(true);
});

test('a refused export fails in the words of Google', async () => {
  const { result } = await run({ gdOperation: 'downloadFile', gdFileId: 'doc-12' });
  expect(result).toMatchObject({
    failure: { message: expect.stringContaining('The requested conversion is not supported.') },
  });
});

test('a limit of downloads is waited for', async () => {
  let calls = 0;
  const { result } = await run({ gdOperation: 'downloadFile', gdFileId: 'file-1' }, (request) =>
    request.query['alt'] === 'media' && calls++ === 0
      ? refusal(403, 'Slow down', 'userRateLimitExceeded')
      : driveApi(request),
  );
  expect(result).toMatchObject({ output: { size_bytes: 5 } });
  expect(calls).toBe(2);
});

test('documents are exported as what is wanted, else as what is usual', () => {
  const type = (kind: string) => `application/vnd.google-apps.${kind}`;
  expect(selectExportFormat('text/plain', 'pdf')).toBeUndefined();
  expect(selectExportFormat(type('spreadsheet'), '')).toMatchObject({ extension: 'xlsx' });
  expect(selectExportFormat(type('document'), 'text/markdown')).toEqual({
    mime_type: 'text/markdown',
    extension: 'md',
  });
  expect(selectExportFormat(type('document'), 'x/y')).toEqual({ mime_type: 'x/y', extension: '' });
  expect(() => selectExportFormat(FOLDER, '')).toThrow('is a folder');
});

test('an upload that is answered with something other than a file fails in plain words', async () => {
  const { result } = await run(
    { gdOperation: 'updateFile', gdFileId: 'file-1', gdBase64Content: 'YWJj' },
    (request) => (request.path.startsWith('/upload/') ? { body: '<html>' } : driveApi(request)),
  );
  expect(result).toMatchObject({
    failure: { kind: 'upstream', message: 'Google Drive answered without a file' },
  });
});
