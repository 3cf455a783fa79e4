import { expect, test } from 'vitest';
import type { NodeFiles } from '../services.ts';
import { runNode, traceNode } from '../testing/run-node.ts';

const file = {
  id: 'file-1',
  filename: 'a.txt',
  mime_type: 'text/plain',
  size_bytes: 3,
  download_url: 'https://own.example/api/files/dl/token',
};

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function fakeFiles(known = file) {
  const calls: unknown[][] = [];
  const note =
    <A extends unknown[], T>(name: string, result: (...args: A) => T) =>
    (...args: A) => {
      calls.push([name, ...args]);
      return Promise.resolve(result(...args));
    };
  const files: NodeFiles = {
    store: async ({ filename, body, key }) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(chunk);
      const name = typeof filename === 'function' ? filename() : filename;
      calls.push(['store', name, Buffer.concat(chunks).toString('utf8'), key]);
      return { ...known, filename: name };
    },
    list: note('list', () => [known]),
    find: note('find', () => known),
    open: note('open', () => ({ file: known, body: once(Buffer.from('abc')) })),
    remove: note('remove', () => undefined),
    changeLink: note('changeLink', () => known),
    shareWithTeams: note('shareWithTeams', () => ({ file: known, team_count: 2 })),
    convert: note('convert', () => ({ ...known, filename: 'a.html' })),
    pages: note('pages', () => ({ file: known, pages: [] })),
  };
  return { calls, services: { files } };
}

const KEY = 'run-1:node-1:';
const changed = { file_id: 'file-1', filename: 'a.txt', download_url: file.download_url };

test.each<[string, object, unknown[][], object]>([
  ['get', { driveFileId: ' file-1 ' }, [['find', 'file-1']], file],
  [
    'get',
    { driveFileId: 'file-1', driveIncludeBinary: true },
    [
      ['find', 'file-1'],
      ['open', 'file-1'],
    ],
    { ...file, file_base64: 'YWJj' },
  ],
  ['get', { driveFileId: '$input.file' }, [['find', 'file-7']], file],
  ['getAll', {}, [['list', 1000]], { files: [file], count: 1 }],
  ['getAll', { driveLimit: 5 }, [['list', 5]], { files: [file], count: 1 }],
  ['getAll', { driveLimit: '0' }, [['list', 1000]], { files: [file], count: 1 }],
  [
    'save',
    { driveBase64Content: 'data:text/plain;base64,w6Q=', driveFilename: 'ä.txt' },
    [['store', 'ä.txt', 'ä', KEY]],
    { ...file, filename: 'ä.txt' },
  ],
  [
    'convertFile',
    { driveFileId: 'file-1', driveConvertTargetFormat: 'html' },
    [['convert', 'file-1', 'html', { key: KEY, signal: expect.any(AbortSignal) }]],
    { ...file, filename: 'a.html' },
  ],
  [
    'setPassword',
    { driveFileId: 'file-1', drivePassword: 'canary' },
    [['changeLink', 'file-1', { password: 'canary' }]],
    changed,
  ],
  [
    'setPassword',
    { driveFileId: 'file-1', drivePassword: ' ab ' },
    [['changeLink', 'file-1', { password: ' ab ' }]],
    changed,
  ],
  [
    'setTtl',
    { driveFileId: 'file-1', driveTtlHours: '1.5' },
    [['changeLink', 'file-1', { expires_hours: 1.5 }]],
    changed,
  ],
  [
    'setMaxDownloads',
    { driveFileId: 'file-1', driveMaxDownloads: '3' },
    [['changeLink', 'file-1', { max_downloads: 3 }]],
    changed,
  ],
  [
    'shareWithMyTeams',
    { driveFileId: 'file-1' },
    [['shareWithTeams', 'file-1', true]],
    { file_id: 'file-1', filename: 'a.txt', shared_team_count: 2 },
  ],
  [
    'unshareWithMyTeams',
    { driveFileId: 'file-1' },
    [['shareWithTeams', 'file-1', false]],
    { file_id: 'file-1', filename: 'a.txt', shared_team_count: 2 },
  ],
  [
    'delete',
    { driveFileId: 'https://own.example/api/files/dl/token' },
    [
      ['find', 'https://own.example/api/files/dl/token'],
      ['remove', 'file-1'],
    ],
    { file_id: 'file-1', filename: 'a.txt' },
  ],
])('%s of %j', async (driveOperation, data, calls, output) => {
  const { calls: made, services } = fakeFiles();
  const inputs = { start: { file: { id: 'file-7', filename: 'x' } } };
  const result = await runNode('drive', { driveOperation, ...data }, { inputs, services });
  expect(result).toEqual({ output: { status: 'success', operation: driveOperation, ...output } });
  expect(made).toEqual(calls);
});

test('a file is downloaded through the guarded way out and keeps the name in its address', async () => {
  const { calls, services } = fakeFiles();
  const { result, trace } = await traceNode(
    'drive',
    { driveOperation: 'downloadUrl', driveSourceUrl: 'https://files.example/a%20b.pdf/?x=1' },
    { services, answer: { body: 'content' } },
  );
  expect(result).toMatchObject({ output: { filename: 'a b.pdf' } });
  expect(calls).toEqual([['store', 'a b.pdf', 'content', KEY]]);
  expect(trace.requests).toMatchObject([
    { method: 'GET', url: 'https://files.example/a%20b.pdf/?x=1', follow_redirects: true },
  ]);
});

test.each([
  ['attachment; filename="q\\"1.pdf"', '', 'q"1.pdf'],
  ['attachment; filename=q1.pdf', '', 'q1.pdf'],
  ["attachment; filename=x; filename*=UTF-8''%C3%A4.pdf", '', 'ä.pdf'],
  ["attachment; filename*=UTF-8''%FF", '', 'a'],
  ['inline', '', 'a'],
  ['attachment; filename=q1.pdf', 'own.pdf', 'own.pdf'],
])('a file that comes with %s, named "%s", is stored as %s', async (disposition, driveFilename, name) => {
  const { calls, services } = fakeFiles();
  await runNode(
    'drive',
    { driveOperation: 'downloadUrl', driveSourceUrl: 'https://files.example/a', driveFilename },
    { services, answer: { headers: { 'content-disposition': disposition }, body: 'content' } },
  );
  expect(calls).toEqual([['store', name, 'content', KEY]]);
});

test('an answer that is no file is not stored', async () => {
  const { calls, services } = fakeFiles();
  const result = await runNode(
    'drive',
    { driveOperation: 'downloadUrl', driveSourceUrl: 'https://files.example/a' },
    { services, answer: { status: 404, body: '{"message": "gone"}' } },
  );
  expect(result).toMatchObject({
    failure: { kind: 'upstream', message: expect.stringContaining('gone'), details: { status: 404 } },
  });
  expect(calls).toEqual([]);
});

test('the content of a large file does not become part of the run', async () => {
  const { calls, services } = fakeFiles({ ...file, size_bytes: 21 * 1024 * 1024 });
  const data = { driveOperation: 'get', driveFileId: 'file-1', driveIncludeBinary: true };
  expect(await runNode('drive', data, { services })).toMatchObject({
    failure: { field: 'driveFileId', message: expect.stringContaining('20 MB') },
  });
  expect(calls).toEqual([['find', 'file-1']]);
});

test.each([
  ['get', {}, 'driveFileId'],
  ['get', { driveFileId: '$input' }, 'driveFileId'],
  ['downloadUrl', {}, 'driveSourceUrl'],
  ['downloadUrl', { driveSourceUrl: 'file:///etc/passwd' }, 'driveSourceUrl'],
  ['save', { driveSourceUrl: 'https://a.example' }, 'driveBase64Content'],
  ['save', { driveBase64Content: 'no base64!', driveFilename: 'a' }, 'driveBase64Content'],
  ['save', { driveBase64Content: 'w6Q=', driveFilename: ' ' }, 'driveFilename'],
  ['setPassword', { driveFileId: 'f', drivePassword: ' ' }, 'drivePassword'],
  ['setPassword', { driveFileId: 'f', drivePassword: 'abc' }, 'drivePassword'],
  ['setPassword', { driveFileId: 'f', drivePassword: 'a'.repeat(201) }, 'drivePassword'],
  ['setTtl', { driveFileId: 'f', driveTtlHours: '' }, 'driveTtlHours'],
  ['setTtl', { driveFileId: 'f', driveTtlHours: '-1' }, 'driveTtlHours'],
  ['setMaxDownloads', { driveFileId: 'f', driveMaxDownloads: '1.5' }, 'driveMaxDownloads'],
  ['convertFile', { driveFileId: 'f' }, 'driveConvertTargetFormat'],
  ['getAll', { driveLimit: 'many' }, 'driveLimit'],
])(
  '%s of %j is refused by the name of its field, and nothing is done',
  async (driveOperation, data, field) => {
    const { calls, services } = fakeFiles();
    const result = await runNode('drive', { driveOperation, ...data }, { inputs: { start: {} }, services });
    expect(result).toMatchObject({ failure: { kind: 'params', field, final: true } });
    expect(calls).toEqual([]);
  },
);
