import { type Json, type JsonObject, problems } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import type { EgressRequest } from '@millrace/nodes/runtime';
import { runNode } from '@millrace/nodes/testing';
import { describe, expect, it } from 'vitest';
import { base, convert } from '../../testing/converted.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff, 0x0d, 0x0a]);

const row = (type: string, parameters: JsonObject, typeVersion = 1): JsonObject => ({
  type: base(type),
  typeVersion,
  parameters,
});
const request = (parameters: JsonObject, typeVersion = 4.2) =>
  row('httpRequest', { method: 'POST', url: 'https://a.example/in', ...parameters }, typeVersion);
const download = (name?: string) =>
  row(
    'httpRequest',
    {
      url: 'https://b.example/img/photo.png?x=1',
      options: {
        response: { response: { responseFormat: 'file', ...(name ? { outputPropertyName: name } : {}) } },
      },
    },
    4.2,
  );

/** Nodes one after the other, behind a manual trigger. */
function inRow(nodes: Readonly<Record<string, JsonObject>>) {
  const all = { Start: row('manualTrigger', {}), ...nodes };
  const names = Object.keys(all);
  const lead = (to: string) => ({ main: [[{ node: to, type: 'main', index: 0 }]] });
  return convert({
    nodes: Object.entries(all).map(([name, node]) => ({ name, ...node })),
    connections: Object.fromEntries(names.slice(1).map((name, index) => [names[index] ?? '', lead(name)])),
  });
}

async function* once(bytes: Uint8Array) {
  yield await Promise.resolve(bytes);
}

async function bytesOfBody(body: EgressRequest['body']): Promise<Buffer> {
  if (body === undefined || typeof body === 'string') return Buffer.from(body ?? '');
  if (!('open' in body)) return Buffer.from(body);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body.open()) chunks.push(chunk);
  expect(Buffer.concat(chunks).length).toBe(body.size_bytes);
  return Buffer.concat(chunks);
}

type Converted = ReturnType<typeof convert>;
interface Answer {
  readonly disposition?: string;
  /** Outputs of other nodes. */
  readonly given?: Readonly<Record<string, Json>>;
  readonly bytes: Uint8Array;
  readonly type: string;
}

/** Runs nodes one after the other; every request is answered by that file. Returns the last request. */
async function run(
  converted: Converted,
  labels: readonly string[],
  { bytes, type, disposition, given }: Answer,
) {
  const outputs: Record<string, Json> = { ...given };
  let last: EgressRequest | undefined;
  const http = {
    request: (seen: EgressRequest) => {
      last = seen;
      const headers = { 'content-type': type, ...(disposition && { 'content-disposition': disposition }) };
      return Promise.resolve({ status: 200, headers, url: seen.url, body: once(bytes) });
    },
    connect: () => Promise.reject(new Error('no connection')),
    resolveAddresses: () => Promise.resolve([]),
  };
  for (const label of labels) {
    const { type: made = '', data = {}, id } = converted.node(label) ?? {};
    expect(problems(converted.document, catalog).filter(({ node_id }) => node_id === id)).toEqual([]);
    const result = await runNode(made, data, { inputs: outputs, services: { http } });
    if (!('output' in result)) throw new Error(JSON.stringify(result));
    outputs[label] = result.output;
  }
  if (last === undefined) throw new Error('nothing was sent');
  const headers = Object.fromEntries(last.headers.map(([name, value]) => [name.toLowerCase(), value]));
  return { method: last.method, url: last.url, headers, body: await bytesOfBody(last.body) };
}

const PICTURE: Answer = { bytes: PNG, type: 'image/png' };

/** The body that a form with these parts has; a part with a name of a file has its type, too. */
function formBody(type: string, parts: readonly (readonly [head: string, bytes: Uint8Array])[]): Buffer {
  const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(type)?.[1] ?? '';
  expect(boundary).not.toBe('');
  const pieces = parts.flatMap(([head, bytes]) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
    Buffer.from(bytes),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

const FILE_HEAD = 'filename="photo.png"\r\nContent-Type: image/png';

it('keeps the fields of the item beside a file that was downloaded', async () => {
  const title = row(
    'set',
    { assignments: { assignments: [{ name: 'title', value: 'Hello', type: 'string' }] } },
    3.4,
  );
  const rows = [
    { parameterType: 'formData', name: 'title', value: '={{ $json.title }}' },
    { parameterType: 'formBinaryData', name: 'doc', inputDataFieldName: 'data' },
  ];
  const body = { sendBody: true, contentType: 'multipart-form-data', bodyParameters: { parameters: rows } };
  // n8n sets its own type for a form.
  const typed = {
    sendHeaders: true,
    headerParameters: { parameters: [{ name: 'Content-Type', value: 'multipart/form-data' }] },
  };
  const converted = inRow({ title, get: download(), One: request({ ...body, ...typed }) });
  const sent = await run(converted, ['title', 'get', 'One'], PICTURE);
  const parts = [
    ['name="title"', Buffer.from('Hello')],
    [`name="doc"; ${FILE_HEAD}`, PNG],
  ] as const;
  expect(sent.body.equals(formBody(sent.headers['content-type'] ?? '', parts))).toBe(true);
});

it('translates names of fields, and refuses those that no command can have', async () => {
  const send = (name: string) => {
    const parameters = [{ parameterType: 'formBinaryData', name, inputDataFieldName: 'data' }];
    const body = { sendBody: true, contentType: 'multipart-form-data', bodyParameters: { parameters } };
    const field = { assignments: { assignments: [{ name: 'field', value: 'doc', type: 'string' }] } };
    return inRow({ field: row('set', field, 3.4), get: download(), One: request(body) });
  };
  const sent = await run(send('={{ $json.field }}'), ['field', 'get', 'One'], PICTURE);
  const type = sent.headers['content-type'] ?? '';
  expect(sent.body.equals(formBody(type, [[`name="doc"; ${FILE_HEAD}`, PNG]]))).toBe(true);
  expect(send('a=b').lines('One')).toContainEqual(expect.stringContaining('a field named "a=b"'));
});

describe('a file as the body', () => {
  it.each<[string, JsonObject, number]>([
    ['version 4', { sendBody: true, contentType: 'binaryData', inputDataFieldName: 'data' }, 4.2],
    ['version 3', { sendBody: true, contentType: 'binaryData', inputDataFieldName: '=data' }, 3],
    [
      'version 2',
      {
        requestMethod: 'POST',
        jsonParameters: true,
        sendBinaryData: true,
        options: { bodyContentType: 'raw' },
      },
      2,
    ],
    [
      'version 1',
      {
        requestMethod: 'POST',
        jsonParameters: true,
        sendBinaryData: true,
        binaryPropertyName: 'data',
        options: { bodyContentType: 'raw' },
      },
      1,
    ],
  ])('%s', async (_, parameters, version) => {
    const converted = inRow({ get: download(), One: request(parameters, version) });
    expect(converted.lines('One')).toEqual([]);
    const sent = await run(converted, ['get', 'One'], PICTURE);
    expect(sent).toMatchObject({ method: 'POST', headers: { 'content-type': 'image/png' } });
    expect(sent.body.equals(PNG)).toBe(true);
  });

  it('has the type of a header that the request sets', async () => {
    const headers = {
      sendHeaders: true,
      headerParameters: { parameters: [{ name: 'Content-Type', value: 'a/b' }] },
    };
    const body = { sendBody: true, contentType: 'binaryData', inputDataFieldName: 'data' };
    const converted = inRow({ get: download(), One: request({ ...body, ...headers }) });
    expect((await run(converted, ['get', 'One'], PICTURE)).headers).toMatchObject({ 'content-type': 'a/b' });
  });

  it('keeps the bytes of a file that is JSON or has a byte order mark', async () => {
    const body = { sendBody: true, contentType: 'binaryData', inputDataFieldName: 'pic' };
    const converted = inRow({ get: download('pic'), One: request(body) });
    for (const text of ['{"a":  1.0}', '\uFEFFa;b']) {
      const answer = { bytes: Buffer.from(text), type: 'application/json; charset=utf-8' };
      const sent = await run(converted, ['get', 'One'], answer);
      expect(sent.headers).toMatchObject({ 'content-type': 'application/json' });
      expect(sent.body.toString()).toBe(text);
    }
  });
});

describe('a form with files', () => {
  it.each([3, 4.2])('has fields of both kinds in version %s', async (version) => {
    const parameters = [
      { name: 'title', value: "={{ $json.headers.x }}it's" },
      { parameterType: 'formBinaryData', name: 'doc', inputDataFieldName: 'pic' },
      { parameterType: 'formData', name: 'at', value: '@home' },
    ];
    const body = { sendBody: true, contentType: 'multipart-form-data', bodyParameters: { parameters } };
    const converted = inRow({ get: download('pic'), One: request(body, version) });
    const { headers, body: sent } = await run(converted, ['get', 'One'], PICTURE);
    const expected = formBody(headers['content-type'] ?? '', [
      ['name="title"', Buffer.from("it's")],
      [`name="doc"; ${FILE_HEAD}`, PNG],
      ['name="at"', Buffer.from('@home')],
    ]);
    expect(sent.toString('latin1')).toBe(expected.toString('latin1'));
  });

  it.each<[string, readonly string[]]>([
    ['pic', ['file']],
    ['doc:pic', ['doc']],
    ['doc:pic, other:pic', ['doc', 'other']],
  ])('names them as %s in version 2', async (binaryPropertyName, names) => {
    const options = { bodyContentType: 'multipart-form-data' };
    const body = {
      requestMethod: 'POST',
      jsonParameters: true,
      sendBinaryData: true,
      binaryPropertyName,
      options,
    };
    const converted = inRow({ get: download('pic'), One: request(body, 2) });
    expect(converted.lines('One')).toEqual([]);
    const { headers, body: sent } = await run(converted, ['get', 'One'], PICTURE);
    const parts = names.map((name) => [`name="${name}"; ${FILE_HEAD}`, PNG] as const);
    expect(sent.equals(formBody(headers['content-type'] ?? '', parts))).toBe(true);
  });

  it.each([
    ['attachment; filename="my report.pdf"; size=5', 'my report.pdf'],
    ['attachment; filename=report.pdf', 'report.pdf'],
    ['inline', 'photo.png'],
  ])('names a file as %s says', async (disposition, filename) => {
    const parameters = [{ parameterType: 'formBinaryData', name: 'doc', inputDataFieldName: 'data' }];
    const body = { sendBody: true, contentType: 'multipart-form-data', bodyParameters: { parameters } };
    const converted = inRow({ get: download(), One: request(body) });
    const { body: sent } = await run(converted, ['get', 'One'], { ...PICTURE, disposition });
    expect(sent.toString('latin1')).toContain(`name="doc"; filename="${filename}"\r\n`);
  });

  it('takes a file that another node has made', async () => {
    const parameters = [{ parameterType: 'formBinaryData', name: 'doc', inputDataFieldName: 'data' }];
    const converted = inRow({
      Fields: row('set', { assignments: { assignments: [{ name: 'a', value: 'x', type: 'string' }] } }, 3.4),
      Make: row('convertToFile', {
        operation: 'toText',
        sourceProperty: 'a',
        options: { fileName: 'a.txt' },
      }),
      One: request({ sendBody: true, contentType: 'multipart-form-data', bodyParameters: { parameters } }),
    });
    const { headers, body } = await run(converted, ['Fields', 'Make', 'One'], PICTURE);
    const head = 'name="doc"; filename="a.txt"\r\nContent-Type: text/plain';
    expect(body.toString()).toBe(
      formBody(headers['content-type'] ?? '', [[head, Buffer.from('x')]]).toString(),
    );
  });
});

it.each<[string, JsonObject, number, RegExp]>([
  [
    'a name that no node gives',
    { sendBody: true, contentType: 'binaryData', inputDataFieldName: 'other' },
    4,
    /hands on a file "other"/,
  ],
  [
    'an expression',
    { sendBody: true, contentType: 'binaryData', inputDataFieldName: '={{ $json.x }}' },
    4,
    /is an expression/,
  ],
  [
    'a file as JSON',
    { requestMethod: 'POST', jsonParameters: true, sendBinaryData: true },
    2,
    /which n8n refuses/,
  ],
  [
    'two files without fields',
    {
      requestMethod: 'POST',
      jsonParameters: true,
      sendBinaryData: true,
      binaryPropertyName: 'data,data',
      options: { bodyContentType: 'multipart-form-data' },
    },
    2,
    /names no field/,
  ],
])('keeps a request with %s and says why', (_, parameters, version, reason) => {
  const converted = inRow({ get: download(), One: request(parameters, version) });
  expect(converted.node('One')?.type).toBe(base('httpRequest'));
  expect(converted.lines('One')).toContainEqual(expect.stringMatching(reason));
});

it('sends the file of each item of a list', async () => {
  const body = { sendBody: true, contentType: 'binaryData', inputDataFieldName: 'data' };
  const converted = inRow({
    Rows: row('postgres', { operation: 'select', table: 't' }),
    get: download(),
    One: request(body),
  });
  expect(converted.node('OneLoop')?.data['arrayExpression']).toBe('$getLoop.results');
  const item = {
    status: 200,
    headers: { 'content-type': 'image/png' },
    body: PNG.toString('base64'),
    body_encoding: 'base64',
    request: { method: 'GET', url: 'https://b.example/second.png', headers: {} },
  };
  const sent = await run(converted, ['One'], { ...PICTURE, given: { OneLoop: { item } } });
  expect(sent.headers).toMatchObject({ 'content-type': 'image/png' });
  expect(sent.body.equals(PNG)).toBe(true);
});

it('keeps the status of a whole answer whose body is a file', async () => {
  const whole = { fullResponse: true, responseFormat: 'file', outputPropertyName: 'pic' };
  const converted = inRow({
    get: row(
      'httpRequest',
      { url: 'https://b.example/photo.png', options: { response: { response: whole } } },
      4.2,
    ),
    One: request({ sendBody: true, contentType: 'binaryData', inputDataFieldName: 'pic' }),
  });
  expect(converted.node('get')?.data).toMatchObject({ responseBody: 'base64' });
  expect((await run(converted, ['get', 'One'], PICTURE)).body.equals(PNG)).toBe(true);
});

const kept = (converted: Converted, name: string) =>
  converted.lines(name).filter((line) => line.includes('was kept'));

const GOOGLE_FILE = { filename: 'a b.png', mime_type: 'image/png', content_base64: PNG.toString('base64') };
const load = row('googleDrive', { operation: 'download', fileId: 'x' });

it('stores a file in Google Drive with its name, folder and type, in one request', async () => {
  const upload = (parameters: JsonObject) =>
    inRow({ Load: load, Store: row('googleDrive', { operation: 'upload', ...parameters }, 3) });
  const converted = upload({ name: '=New {{ $json.id }}', folderId: { mode: 'id', value: 'folder-1' } });
  expect(kept(converted, 'Store')).toEqual([]);
  const sent = await run(converted, ['Store'], {
    ...PICTURE,
    given: { Load: { ...GOOGLE_FILE, id: 7 } },
  });
  const text = sent.body.toString('latin1');
  expect(text).toContain(
    'name="metadata"\r\nContent-Type: application/json\r\n\r\n' +
      '{"name": "New 7", "originalFilename": "a b.png", "mimeType": "image/png", "parents": ["folder-1"]}',
  );
  expect(sent.body.includes(PNG)).toBe(true);
  const unnamed = await run(upload({}), ['Store'], { ...PICTURE, given: { Load: GOOGLE_FILE } });
  expect(unnamed.body.toString('latin1')).toContain('"name": "a b.png"');
  expect(unnamed.body.toString('latin1')).toContain('"parents": ["root"]');
});

it('sends a file to Telegram under the name that the node gives it', async () => {
  const more = { caption: "It's here", fileName: '=x-{{ $json.id }}.png' };
  const converted = inRow({
    Load: load,
    Send: row('telegram', {
      operation: 'sendDocument',
      chatId: '5',
      binaryData: true,
      additionalFields: more,
    }),
  });
  expect(kept(converted, 'Send')).toEqual([]);
  const sent = await run(converted, ['Send'], { ...PICTURE, given: { Load: { ...GOOGLE_FILE, id: 7 } } });
  const parts = [
    ['name="chat_id"', Buffer.from('5')],
    ['name="caption"', Buffer.from("It's here")],
    ['name="document"; filename="x-7.png"\r\nContent-Type: image/png', PNG],
  ] as const;
  expect(sent.body).toEqual(formBody(sent.headers['content-type'] ?? '', parts));
});

it('downloads a file of Telegram from the path that Telegram has told', async () => {
  const converted = inRow({
    Get: row('telegram', { resource: 'file', fileId: '9' }, 1.2),
    Send: request({ sendBody: true, contentType: 'binaryData', inputDataFieldName: 'data' }),
  });
  expect(kept(converted, 'Get')).toEqual([]);
  expect(converted.edges).toContain('GetFound:>Get:');
  const found = { body: { ok: true, result: { file_path: 'photos/file_1.PNG' } } };
  const file = { bytes: PNG, type: 'application/octet-stream', given: { GetFound: found } };
  const got = await run(converted, ['Get'], file);
  expect(got).toMatchObject({ method: 'GET', url: expect.stringMatching(/\/photos\/file_1\.PNG$/) });
  const sent = await run(converted, ['Get', 'Send'], file);
  expect(sent.body).toEqual(PNG);
  expect(sent.headers['content-type']).toBe('image/png');
});

it('reads what Telegram has told beside the file', () => {
  const path = row(
    'set',
    { fields: { values: [{ name: 'path', stringValue: '={{ $json.result.file_path }}' }] } },
    3,
  );
  const converted = inRow({ Get: row('telegram', { resource: 'file', fileId: '9' }, 1.2), Path: path });
  expect(converted.node('Path')?.data['mappings']).toEqual([
    { key: 'path', value: '$GetFound.body.result.file_path.toString()' },
  ]);
});
