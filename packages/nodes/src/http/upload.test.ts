import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { yieldOnce } from '../kit/files/yield-once.ts';
import type { NodeFiles, StoredFile } from '../services.ts';
import { realEgress } from '../testing/real-egress.ts';
import { emptyDrive, runNode, type Situation } from '../testing/run-node.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0xff, 0x2d, 0x2d]);
const ID = '0f8fad5b-d9cb-469f-a165-70867728950e';
const STORED: StoredFile = {
  id: ID,
  filename: 'grüße "1".png',
  mime_type: 'image/png',
  size_bytes: PNG.length,
  download_url: `https://millrace.example/api/files/dl/${'t'.repeat(20)}`,
};

/** A Drive with one file, which counts how often it is opened. */
function drive() {
  const opened: string[] = [];
  const kept: { filename: string; bytes: Buffer; key: string | undefined }[] = [];
  const find = (reference: string) =>
    reference === ID || reference === STORED.download_url
      ? Promise.resolve(STORED)
      : Promise.reject(new NodeFailure({ kind: 'params', message: 'File not found', final: true }));
  const files: NodeFiles = {
    ...emptyDrive(),
    find,
    open: async (reference) => {
      opened.push(reference);
      return { file: await find(reference), body: yieldOnce(PNG) };
    },
    store: async ({ filename, body, key }) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(chunk);
      const name = typeof filename === 'function' ? filename() : filename;
      kept.push({ filename: name, bytes: Buffer.concat(chunks), key });
      return { ...STORED, filename: name, size_bytes: Buffer.concat(chunks).length };
    },
  };
  return { files, opened, kept };
}

interface Got {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

let got: Got | undefined;
let address = '';
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method = '', url = '', headers } = request;
    got = { method, url, headers, body: Buffer.concat(chunks) };
    if (url.startsWith('/picture')) {
      response.writeHead(200, { 'content-type': 'image/png' }).end(PNG);
    } else if (url.startsWith('/named')) {
      response.writeHead(200, { 'content-disposition': 'attachment; filename="report.pdf"' }).end('%PDF');
    } else if (url.startsWith('/gone')) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"gone"}');
    } else {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"a": 1.0}');
    }
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

interface Part {
  readonly name: string | undefined;
  readonly filename?: string;
  readonly type?: string;
  readonly bytes: Buffer;
}

/** Reads a `multipart/form-data` body by its grammar (RFC 2046 section 5.1.1) and refuses anything else. */
function parseMultipart({ headers, body }: Got): Part[] {
  const [, boundary = ''] =
    /^multipart\/form-data; boundary=([\w-]{1,70})$/.exec(headers['content-type'] ?? '') ?? [];
  if (boundary === '') throw new Error(`no boundary in ${headers['content-type']}`);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const rest = Buffer.concat([Buffer.from('\r\n'), body]);
  const parts: Part[] = [];
  let at = rest.indexOf(delimiter);
  if (at !== 0) throw new Error('there is something before the first part');
  for (;;) {
    at += delimiter.length;
    const mark = rest.subarray(at, at + 2).toString();
    if (mark === '--') {
      if (rest.subarray(at + 2).toString() !== '\r\n')
        throw new Error('there is something behind the last part');
      return parts;
    }
    if (mark !== '\r\n') throw new Error('a delimiter does not end its line');
    const head = rest.indexOf('\r\n\r\n', at);
    const end = rest.indexOf(delimiter, head);
    if (head < 0 || end < 0) throw new Error('a part has no end');
    parts.push(parsePart(rest.subarray(at + 2, head).toString(), rest.subarray(head + 4, end)));
    at = end;
  }
}

function parsePart(head: string, bytes: Buffer): Part {
  const lines = head.split('\r\n');
  const [, name, filename] =
    /^Content-Disposition: form-data; name="([^"\r\n]*)"(?:; filename="([^"\r\n]*)")?$/.exec(
      lines[0] ?? '',
    ) ?? [];
  const type = /^Content-Type: (.+)$/.exec(lines[1] ?? '')?.[1];
  if (lines.length > (type === undefined ? 1 : 2)) throw new Error(`strange headers: ${head}`);
  return {
    name,
    bytes,
    ...(filename === undefined ? {} : { filename }),
    ...(type === undefined ? {} : { type }),
  };
}

const INPUTS: Record<string, Json> = {
  upload: { file: { id: ID, name: 'x', mime: 'image/png' } },
  stored: { ...STORED },
  made: {
    filename: 'list.csv',
    mime_type: 'text/csv',
    content_base64: Buffer.from('a;b\r\n').toString('base64'),
  },
  written: { filename: 'note.txt', content: 'Grüße' },
  nameless: { content_base64: Buffer.from('x').toString('base64') },
  answer: {
    status: 200,
    headers: { 'content-type': 'image/png' },
    body: PNG.toString('base64'),
    body_encoding: 'base64',
    request: { method: 'GET', url: 'https://a.example/img/my%20photo.png?x=1', headers: {} },
  },
  two: { all: [{ filename: 'a', content: '1' }, { id: ID }], none: [] },
  bad: {
    path: '/etc/passwd',
    other: { id: '11111111-1111-4111-8111-111111111111' },
    broken: { filename: 'x', content_base64: '%%%' },
    number: 5,
    empty: '',
  },
};

async function run(curl: string, data: JsonObject = {}, more: Situation = {}) {
  got = undefined;
  const { files, opened, kept } = drive();
  const services = { http: realEgress(), files };
  const command = curl.replace('ADDRESS', address);
  try {
    const result = await runNode('http', { curl: command, ...data }, { inputs: INPUTS, services, ...more });
    return { result, opened, kept };
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    return { result: { failure: error.failure }, opened, kept };
  }
}

function requireGot(): Got {
  if (!got) throw new Error('nothing was sent');
  return got;
}

async function sendForm(form: string): Promise<Part[]> {
  const { result } = await run(`curl ADDRESS ${form}`);
  if (!('output' in result)) throw new Error(JSON.stringify(result));
  expect(JSON.stringify(result.output)).not.toContain(PNG.toString('base64'));
  return parseMultipart(requireGot());
}

const PICTURE = { filename: 'grüße %221%22.png', type: 'image/png', bytes: PNG };

describe('a form with files', () => {
  test('a written type gets the boundary, as with curl', async () => {
    for (const written of ['multipart/form-data', 'Multipart/Form-Data; boundary=mine']) {
      await run(`curl ADDRESS -H 'Content-Type: ${written}' -F a=1`);
      const { headers, body } = requireGot();
      const [, boundary = ''] =
        /^multipart\/form-data; boundary=(millrace-\S+)$/i.exec(headers['content-type'] ?? '') ?? [];
      expect(body.toString()).toContain(`--${boundary}--`);
      expect(boundary).not.toBe('');
    }
  });

  test('a text beside a stored file does not take its place', async () => {
    const inputs = { doc: { id: ID, filename: 'real.pdf', content: 'what was read of it' } };
    await run("curl ADDRESS -F 'doc=@$doc'", {}, { inputs });
    expect(parseMultipart(requireGot())).toEqual([{ name: 'doc', ...PICTURE }]);
  });

  test('an answer has the name that the server gave it', async () => {
    const answer = { ...(INPUTS['answer'] as JsonObject) };
    answer['headers'] = { 'content-disposition': 'attachment; filename="report.pdf"' };
    await run("curl ADDRESS -F 'doc=@$answer'", {}, { inputs: { answer } });
    expect(parseMultipart(requireGot())[0]?.filename).toBe('report.pdf');
  });

  test.each<[string, readonly Omit<Part, 'bytes'>[] | readonly Part[]]>([
    [`-F doc=@${ID}`, [{ name: 'doc', ...PICTURE }]],
    ["-F 'doc=@$upload.file'", [{ name: 'doc', ...PICTURE }]],
    ["-F 'doc=@$upload'", [{ name: 'doc', ...PICTURE }]],
    ["-F 'doc=@$stored.id'", [{ name: 'doc', ...PICTURE }]],
    ["-F 'doc=@$stored.download_url'", [{ name: 'doc', ...PICTURE }]],
    ['-F "doc=@\\"$stored.id\\""', [{ name: 'doc', ...PICTURE }]],
    [
      '-F \'doc=@$stored;type=text/x;filename="a;b.csv"\'',
      [{ name: 'doc', filename: 'a;b.csv', type: 'text/x', bytes: PNG }],
    ],
    ["-F 'doc=@$stored;filename=$made.filename'", [{ name: 'doc', ...PICTURE, filename: 'list.csv' }]],
    ["-F 'doc=@$stored;filename=$bad.empty;type=$bad.empty'", [{ name: 'doc', ...PICTURE }]],
    [
      "-F 'doc=@$made' -F a=1 --form-string 'b=@x'",
      [
        { name: 'doc', filename: 'list.csv', type: 'text/csv', bytes: Buffer.from('a;b\r\n') },
        { name: 'a', bytes: Buffer.from('1') },
        { name: 'b', bytes: Buffer.from('@x') },
      ],
    ],
    [
      "-F 'doc=@$written'",
      [{ name: 'doc', filename: 'note.txt', type: 'application/octet-stream', bytes: Buffer.from('Grüße') }],
    ],
    [
      "-F 'doc=@$nameless;filename=n.bin'",
      [{ name: 'doc', filename: 'n.bin', type: 'application/octet-stream', bytes: Buffer.from('x') }],
    ],
    ["-F 'doc=@$answer'", [{ name: 'doc', filename: 'my photo.png', type: 'image/png', bytes: PNG }]],
    [
      "-F 'all=@$two.all;type=a/b'",
      [
        { name: 'all', filename: 'a', type: 'a/b', bytes: Buffer.from('1') },
        { name: 'all', ...PICTURE, type: 'a/b' },
      ],
    ],
    ["-F 'text=$bad.path'", [{ name: 'text', bytes: Buffer.from('/etc/passwd') }]],
  ])('%s', async (form, parts) => {
    expect(await sendForm(form)).toEqual(parts);
    expect(requireGot().method).toBe('POST');
  });
});

describe('a body that is a file', () => {
  test.each([
    ["--data-binary '@$stored'", '', 'POST', '/', 'image/png'],
    [`--data-binary @${ID} -X PUT`, '/a', 'PUT', '/a', 'image/png'],
    ["-T '$stored'", '/a.png', 'PUT', '/a.png', 'image/png'],
    ["-T '@$stored'", '/a?b=1', 'PUT', '/a?b=1', 'image/png'],
    ["-T '$answer'", '/folder/?b=1', 'PUT', '/folder/my%20photo.png?b=1', 'image/png'],
    ["-X POST -T '$stored' -H 'Content-Type: x/y'", '/a', 'POST', '/a', 'x/y'],
  ])('%s to %s', async (...[options, path, method, url, type]) => {
    const { result } = await run(`curl 'ADDRESS${path}' ${options}`);
    expect(result).toMatchObject({ output: { status: 200, request: { method } } });
    expect(JSON.stringify(result)).not.toContain(PNG.toString('base64'));
    const request = requireGot();
    expect(request).toMatchObject({ method, url, headers: { 'content-type': type } });
    expect(request.body.equals(PNG)).toBe(true);
  });

  test('a file by value needs no name', async () => {
    await run("curl ADDRESS --data-binary '@$nameless'");
    expect(requireGot().body.toString()).toBe('x');
  });
});

describe('what cannot be sent', () => {
  test.each([
    ['-F doc=@/etc/passwd', ['-F doc=@…', 'reads a file of the disk ("/etc/passwd")', '@$upload.file']],
    ['-F \'doc=@"/etc/passwd";type=a/b\'', ['reads a file of the disk ("/etc/passwd")']],
    ["-F 'doc=</etc/passwd'", ['-F doc=<…', 'reads a file']],
    ['-T /etc/passwd', ['-T reads a file of the disk']],
    ['--data-binary @/etc/passwd', ['--data-binary @…', 'reads a file of the disk']],
    ['-d @/etc/passwd', ['reads a file', '--data-binary @$upload.file']],
    ["-F 'doc=@$bad.path'", ['-F doc=@…', '"/etc/passwd"', 'paths of a disk cannot be read']],
    ["-F 'doc=@/tmp/$made.filename'", ['"/tmp/list.csv"', 'paths of a disk cannot be read']],
    ["--data-binary '@$bad.path'", ['--data-binary @…', 'paths of a disk cannot be read']],
    ["-F 'doc=@$bad.other'", ['-F doc=@…: File not found', 'owner of the workflow']],
    ["-T '$bad.other'", ['-T: File not found']],
    ["-F 'doc=@$bad.broken'", ['not base64']],
    ["-F 'doc=@$bad.number'", ['gives no file']],
    ["-F 'doc=@$bad.missing'", ['gives no file']],
    ['-F doc=@', ['gives no file']],
    ["-F 'doc=@$nameless'", ['lacks a filename']],
    ["-F 'doc=@$two.none'", ['gives an empty list']],
    ["--data-binary '@$two.all'", ['gives 2 files']],
    ["-F 'doc=@$stored' -d a=1", ['-F and -d cannot be used together']],
    ["-F a=1 -T '$stored'", ['-F and -d cannot be used together']],
    ["-d a=1 --data-binary '@$stored'", ['a file is the whole body', '-F name=@…']],
    ["-G --data-binary '@$stored'", ['-G cannot send a file']],
  ])('%s', async (options, words) => {
    const { result, opened } = await run(`curl ADDRESS ${options}`);
    if (!('failure' in result)) throw new Error('it was sent');
    expect(result.failure).toMatchObject({ kind: 'params', field: 'curl', final: true });
    for (const word of words) expect(result.failure.message).toContain(word);
    expect(got).toBeUndefined();
    expect(opened).toEqual([]);
  });

  test('a command that comes as data names no file', async () => {
    const inputs = { start: { body: { curl: `curl ${address} -F doc=@${ID}` } } };
    const { result } = await run('$start.body.curl', {}, { inputs });
    expect(result).toMatchObject({ failure: { message: expect.stringContaining('cannot name files') } });
    expect(got).toBeUndefined();
  });
});

describe('the body of an answer', () => {
  const output = async (path: string, responseBody: string, data: JsonObject = {}) => {
    const { result, kept } = await run(`curl ADDRESS${path}`, { responseBody, ...data });
    return { output: 'output' in result ? (result.output as JsonObject) : result, kept };
  };

  test('is base64 when it is no text, and always when it is set so', async () => {
    const encoded = { body: PNG.toString('base64'), body_encoding: 'base64' };
    expect((await output('/picture', 'read')).output).toMatchObject(encoded);
    expect((await output('/picture', 'base64')).output).toMatchObject(encoded);
    const json = Buffer.from('{"a": 1.0}').toString('base64');
    expect((await output('/json', 'base64')).output).toMatchObject({ body: json, body_encoding: 'base64' });
  });

  test('is stored with the name that the server or the address gives', async () => {
    const { output: stored, kept } = await output('/picture%201.png?x=1', 'file');
    expect(stored).toMatchObject({
      status: 200,
      body: null,
      file: { id: ID, filename: 'picture 1.png', size_bytes: PNG.length },
    });
    expect(kept).toEqual([{ filename: 'picture 1.png', bytes: PNG, key: expect.any(String) }]);
    expect((await output('/named', 'file')).kept).toMatchObject([{ filename: 'report.pdf' }]);
    expect((await output('/', 'file')).kept).toMatchObject([{ filename: 'file' }]);
  });

  test.each(['base64', 'file'])('of a refusal is read nevertheless (%s)', async (responseBody) => {
    const { output: refused, kept } = await output('/gone', responseBody);
    expect(refused).toMatchObject({ status: 404, body: { message: 'gone' } });
    expect(refused).not.toHaveProperty('file');
    expect(kept).toEqual([]);
    expect((await output('/gone', responseBody, { failOnErrorStatus: true })).output).toMatchObject({
      failure: { message: expect.stringContaining('gone') },
    });
  });
});
