import type { NodeFiles } from '@millrace/nodes/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestApp, type TestApp, type TestUser } from '../../testing/index.ts';
import { createRunFiles } from './run-files.ts';

let app: TestApp;
let owner: TestUser;
let member: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  app = await createTestApp({ env: { FILE_MAX_SIZE_MB: '1', HTTP_ALLOW_PRIVATE_URLS: 'true' } });
  [owner, member, stranger] = [await app.user('Owner'), await app.user('Member'), await app.user('Stranger')];
  const team = (await owner.call('POST', '/api/teams', { name: 'Readers' })).json<{ id: string }>().id;
  await owner.call('POST', `/api/teams/${team}/members`, { email: member.email });
});
afterAll(() => app.close());

const WORKFLOW = '00000000-0000-7000-8000-000000000001';
const RUN = '00000000-0000-7000-8000-000000000002';
const createNodeFiles = (user: TestUser): NodeFiles =>
  createRunFiles(app.services).of({
    user_id: user.id,
    workflow_id: WORKFLOW,
    run_id: RUN,
    node_id: 'n',
    node_label: 'drive',
  });

async function* once(text: string | Buffer): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
const kept = (filename = 'note.md', body: string | Buffer = '# Title\n\n- one\n- two', key?: string) =>
  createNodeFiles(owner).store({ filename, body: once(body), ...(key === undefined ? {} : { key }) });
const stripOrigin = (url: string): string => url.replace(/^https?:\/\/[^/]+/, '');

async function readText(files: NodeFiles, reference: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await files.open(reference)).body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

let counter = 0;
/** Runs a workflow of one node and answers its output. */
async function run(data: object, user = owner) {
  const nodes = [
    { id: 'in', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'in' } },
    { id: 'file', type: 'drive', position: { x: 1, y: 0 }, data: { label: 'file', ...data } },
  ];
  const body = { name: `files ${++counter}`, nodes, edges: [{ id: 'e', source: 'in', target: 'file' }] };
  const { id } = (await user.call('POST', '/api/workflows', body)).json<{ id: string }>();
  const answer = await user.call('POST', `/api/workflows/${id}/execute`, {});
  const { status, outputs } = answer.json<{ status: string; outputs: Record<string, unknown> }>();
  return { status, output: outputs['file'] as Record<string, unknown>, body: answer.body };
}

describe('§2.5 the Drive in a run', () => {
  test('a download from an address where nothing listens fails the node', async () => {
    const failed = await run({ driveOperation: 'downloadUrl', driveSourceUrl: 'http://127.0.0.1:1/a.pdf' });
    expect(failed, failed.body).toMatchObject({ status: 'error' });
    expect(failed.body).toContain('connection refused');
  });

  test('a file that a node stores is read, limited, shared and deleted by others, each in its run', async () => {
    const saved = await run({
      driveOperation: 'save',
      driveBase64Content: Buffer.from('hello').toString('base64'),
      driveFilename: '../hello.txt',
    });
    expect(saved).toMatchObject({
      status: 'success',
      output: {
        status: 'success',
        operation: 'save',
        filename: 'hello.txt',
        mime_type: 'text/plain',
        size_bytes: 5,
      },
    });
    const { id, download_url } = saved.output as { id: string; download_url: string };
    const record = (await owner.call('GET', `/api/files/${id}`)).json<object>();
    expect(record).toMatchObject({ source_node_label: 'file', download_url });

    const got = await run({ driveOperation: 'get', driveFileId: download_url, driveIncludeBinary: true });
    expect(got.output).toMatchObject({ id, file_base64: Buffer.from('hello').toString('base64') });
    expect((await run({ driveOperation: 'getAll', driveLimit: '1' })).output).toMatchObject({
      files: [{ id }],
      count: 1,
    });
    expect((await run({ driveOperation: 'shareWithMyTeams', driveFileId: id })).output).toMatchObject({
      shared_team_count: 1,
    });
    expect((await run({ driveOperation: 'get', driveFileId: id }, member)).status).toBe('success');
    expect(await run({ driveOperation: 'delete', driveFileId: id }, member)).toMatchObject({
      status: 'error',
      body: expect.stringContaining('Only the owner'),
    });
    expect((await run({ driveOperation: 'unshareWithMyTeams', driveFileId: id })).output).toMatchObject({
      shared_team_count: 0,
    });
    expect(await run({ driveOperation: 'get', driveFileId: id }, member)).toMatchObject({
      status: 'error',
      body: expect.stringContaining('File not found'),
    });
    expect((await run({ driveOperation: 'delete', driveFileId: id })).output).toEqual({
      status: 'success',
      operation: 'delete',
      file_id: id,
      filename: 'hello.txt',
    });
    expect((await owner.call('GET', `/api/files/${id}`)).statusCode).toBe(404);
  });
});

describe('names of files', () => {
  test('id, address of a link, address for those signed in and address of a password name the same file', async () => {
    const file = await kept();
    const link = await owner.call('POST', `/api/files/${file.id}/share`, {
      basic_auth_password: 'long enough',
    });
    const names = [
      file.id,
      file.download_url,
      link.json<{ download_url: string }>().download_url,
      `https://own.example/api/files/${file.id}/download`,
      `/api/files/ba/${file.id}`,
    ];
    for (const name of names) expect((await createNodeFiles(owner).find(name)).id, name).toBe(file.id);
  });

  test('what others keep is not found, by no name', async () => {
    const file = await kept();
    for (const name of [file.id, file.download_url, 'x', `${file.id}0`, '/api/files/dl/unknown']) {
      await expect(createNodeFiles(stranger).find(name), name).rejects.toThrow('File not found');
    }
    await createNodeFiles(stranger).remove(file.id);
    expect((await createNodeFiles(owner).find(file.id)).id).toBe(file.id);
  });
});

describe('§6 repetitions', () => {
  test('the same key stores once and does not read again', async () => {
    const first = await kept('a.txt', 'first', 'run:node:1');
    const unread = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error('read again')) });
    const again = await createNodeFiles(owner).store({ filename: 'b.txt', body: unread, key: 'run:node:1' });
    expect(again).toEqual(first);
    expect(await readText(createNodeFiles(owner), first.id)).toBe('first');
    expect((await kept('a.txt', 'other', 'run:node:2')).id).not.toBe(first.id);
  });

  test('two processes that store with the same key at once have the same file', async () => {
    let begun = 0;
    let release: () => void = () => undefined;
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    // Neither body ends before both are read, and so both look for the file before either is stored.
    async function* body(): AsyncGenerator<Uint8Array> {
      if (++begun === 2) release();
      await both;
      yield Buffer.from('text');
    }
    const store = () =>
      createNodeFiles(owner).store({ filename: 'a.txt', body: body(), key: 'run:node:both' });
    const [one, other] = await Promise.all([store(), store()]);
    expect(other).toEqual(one);
    expect(await readText(createNodeFiles(owner), one.id)).toBe('text');
  });

  test('a name that comes with the body is asked for when it has been read', async () => {
    let filename = 'address';
    async function* body(): AsyncGenerator<Uint8Array> {
      filename = 'report.txt';
      yield Buffer.from('text');
    }
    const file = await createNodeFiles(owner).store({ filename: () => filename, body: body() });
    expect(file).toMatchObject({ filename: 'report.txt', mime_type: 'text/plain' });
  });

  test('removing what is gone does nothing', async () => {
    const file = await kept();
    await createNodeFiles(owner).remove(file.id);
    await createNodeFiles(owner).remove(file.id);
    await createNodeFiles(owner).remove('no id');
  });

  test('a file that is too large leaves nothing', async () => {
    const before = (await createNodeFiles(owner).list(1000)).length;
    await expect(kept('big.bin', Buffer.alloc(1_048_577))).rejects.toThrow('larger than');
    expect((await createNodeFiles(owner).list(1000)).length).toBe(before);
  });
});

describe('limits of the public address', () => {
  test('the address stays and asks for the password', async () => {
    const file = await kept('a.txt', 'secret');
    expect((await createNodeFiles(owner).changeLink(file.id, { password: 'pass word' })).download_url).toBe(
      file.download_url,
    );
    const path = stripOrigin(file.download_url);
    expect((await app.call('GET', path)).statusCode).toBe(401);
    const authorization = `Basic ${Buffer.from('file:pass word').toString('base64')}`;
    expect((await app.call('GET', path, undefined, { authorization })).body).toBe('secret');
  });

  test('downloads are counted, and the time ends', async () => {
    const file = await kept('a.txt', 'x');
    await createNodeFiles(owner).changeLink(file.id, { max_downloads: 1 });
    const path = stripOrigin(file.download_url);
    expect((await app.call('GET', path)).statusCode).toBe(200);
    expect((await app.call('GET', path)).statusCode).toBe(404);
    await createNodeFiles(owner).changeLink(file.id, { max_downloads: 9 });
    await createNodeFiles(owner).changeLink(file.id, { expires_hours: 1 });
    expect((await app.call('GET', path)).statusCode).toBe(200);
    app.clock.now += 3_600_001;
    expect((await app.call('GET', path)).statusCode).toBe(404);
    app.clock.now -= 3_600_001;
  });

  test('an address that has ended for good is replaced by a limited one, not by an open one', async () => {
    const file = await kept('a.txt', 'x');
    for (const { id } of (await owner.call('GET', `/api/files/${file.id}/share`)).json<{ id: string }[]>()) {
      await owner.call('DELETE', `/api/files/${file.id}/share/${id}`);
    }
    const without = await createNodeFiles(owner).find(file.id);
    expect(without.download_url).toContain(`/api/files/${file.id}/download`);
    const changed = await createNodeFiles(owner).changeLink(file.id, { password: 'pass word' });
    expect(changed.download_url).toMatch(/\/api\/files\/dl\//);
    expect((await app.call('GET', stripOrigin(changed.download_url))).statusCode).toBe(401);
  });

  test('members of a team do not change it', async () => {
    const file = await kept();
    await createNodeFiles(owner).shareWithTeams(file.id, true);
    await expect(createNodeFiles(member).changeLink(file.id, { max_downloads: 1 })).rejects.toThrow(
      'Only the owner',
    );
  });
});

/** A PDF file with a text on each page (ISO 32000-1 section 7.5). */
function buildPdf(texts: readonly string[]): string {
  const pages = texts.map((_, at) => `${4 + at * 2} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pages}] /Count ${texts.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  for (const text of texts) {
    const content = `BT /F1 12 Tf 10 50 Td (${text}) Tj ET`;
    const resources = `/Resources << /Font << /F1 3 0 R >> >> /MediaBox [0 0 200 100]`;
    objects.push(`<< /Type /Page /Parent 2 0 R ${resources} /Contents ${objects.length + 2} 0 R >>`);
    objects.push(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  }
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = body.length;
    body += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  return `${body}${table}trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
}

const NEVER = new AbortController().signal;

describe('other formats', () => {
  test.each([
    ['note.md', '# Title\n\n- one', 'html', 'note.html', '<h1>Title</h1>'],
    ['page.html', '<h1>Title</h1><script>alert(1)</script><p>text</p>', 'md', 'page.md', '# Title\n\ntext'],
    ['list.csv', 'name,age\nAda,36', 'txt', 'list.txt', 'name: Ada\nage: 36'],
    ['a<b.txt', 'x < y', '.HTML', 'a<b.html', '<pre>x &lt; y</pre>'],
  ])('%s becomes %s', async (...row) => {
    const [filename, content, format, name, expected] = row;
    const file = await kept(filename, content);
    const made = await createNodeFiles(owner).convert(file.id, format, {
      key: `convert:${filename}`,
      signal: NEVER,
    });
    expect(made.filename).toBe(name);
    expect(await readText(createNodeFiles(owner), made.id)).toContain(expected);
    expect(
      await createNodeFiles(owner).convert(file.id, format, { key: `convert:${filename}`, signal: NEVER }),
    ).toEqual(made);
  });

  test.each([
    ['note.md', 'x', 'epub', '"note.md" cannot become epub; it can become html or txt'],
    ['a.bin', Buffer.from([0, 1]), 'md', '"a.bin" cannot be converted'],
    ['a.docx', 'no zip', 'html', 'is damaged or is no docx file'],
    ['note.md', 'x', 'toString', 'it can become html or txt'],
  ])('%s with %j cannot become %s, which is said', async (filename, content, format, words) => {
    const file = await kept(filename, content);
    await expect(
      createNodeFiles(owner).convert(file.id, format, { key: `refused:${format}`, signal: NEVER }),
    ).rejects.toThrow(words);
  });

  test('pages of a PDF file', async () => {
    const file = await kept('two.pdf', buildPdf(['First page', 'Second page']));
    expect((await createNodeFiles(owner).pages(file.id, NEVER)).pages).toEqual(['First page', 'Second page']);
    const made = await createNodeFiles(owner).convert(file.id, 'txt', {
      key: 'convert:two.pdf',
      signal: NEVER,
    });
    expect(await readText(createNodeFiles(owner), made.id)).toBe('First page\n\nSecond page');
  });

  test.each([
    ['a.txt', 'x', 'is no PDF file'],
    ['a.pdf', '%PDF-1.7 broken', 'is damaged'],
  ])('%s has no pages to read', async (filename, content, words) => {
    const file = await kept(filename, content);
    await expect(createNodeFiles(owner).pages(file.id, NEVER)).rejects.toThrow(words);
  });
});
