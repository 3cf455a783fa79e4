import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { createTestApp, type TestApp, type TestUser } from '../../testing/index.ts';
import { displayFilename } from './store-file.ts';

let app: TestApp;
let owner: TestUser;
let member: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  app = await createTestApp({ env: { FILE_MAX_SIZE_MB: '1' } });
  [owner, member, stranger] = [await app.user('Owner'), await app.user('Member'), await app.user('Stranger')];
  const team = (await owner.call('POST', '/api/teams', { name: 'Readers' })).json<{ id: string }>().id;
  await owner.call('POST', `/api/teams/${team}/members`, { email: member.email });
});
afterAll(() => app.close());

interface FileRecord {
  id: string;
  filename: string;
  mime_type: string;
  size_bytes: number;
  download_url: string;
}

async function send(content: Buffer | string, name = 'note.txt', url = '/api/files/upload', user = owner) {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(Buffer.from(content))], { type: 'image/png' }), name);
  const request = new Request('http://x', { method: 'POST', body: form });
  const body = Buffer.from(await request.arrayBuffer());
  return user.call('POST', url, body, { 'content-type': request.headers.get('content-type') ?? '' });
}

async function upload(content: Buffer | string = 'hello', name?: string, url?: string): Promise<FileRecord> {
  const answer = await send(content, name, url);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
}

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('POST /api/files/upload', () => {
  test.each([
    ['note.txt', Buffer.from('plain text'), 'text/plain'],
    ['data.csv', Buffer.from('a,b\n1,2\n'), 'text/csv'],
    ['page.html', Buffer.from('<script>alert(1)</script>'), 'text/html'],
    ['picture.png', PNG, 'image/png'],
    ['picture.txt', PNG, 'image/png'],
    ['fake.png', Buffer.from('no picture at all'), 'text/plain'],
    ['blob.txt', Buffer.from([0, 1, 2, 3, 255]), 'application/octet-stream'],
    ['empty.json', Buffer.alloc(0), 'application/json'],
    ['track.mp3', Buffer.from([0, 1, 2, 3, 255]), 'audio/mpeg'],
    ['words.mp3', Buffer.from('any bytes'), 'audio/mpeg'],
    ['picture.mp3', PNG, 'image/png'],
  ])(
    '200: the type of %s is found in its content, or in its name where that can do no harm',
    async (name, content, mime_type) => {
      expect(await upload(content, name)).toMatchObject({
        filename: name,
        mime_type,
        size_bytes: content.length,
      });
    },
  );

  test('413: a larger file than allowed; nothing stays', async () => {
    const before = (await owner.call('GET', '/api/files')).json<{ total: number }>().total;
    expect((await send(Buffer.alloc(1024 * 1024 + 1))).statusCode).toBe(413);
    expect((await send(Buffer.alloc(1024 * 1024))).statusCode).toBe(200);
    expect((await owner.call('GET', '/api/files')).json()).toMatchObject({ total: before + 1 });
  });

  test('a JSON body cannot pose as a file', async () => {
    const answer = await owner.call('POST', '/api/files/upload', {
      file: { filename: 'x', path: '/etc/passwd' },
    });
    expect(answer.statusCode).toBe(415);
  });

  test.each([
    ['without a boundary', 'multipart/form-data', 'content'],
    [
      'that ends in the middle',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\ncut o',
    ],
  ])('400: a form %s; nothing stays', async (_, type, body) => {
    const before = (await owner.call('GET', '/api/files')).json<{ total: number }>().total;
    const answer = await owner.call('POST', '/api/files/upload', body, { 'content-type': type });
    expect(answer.statusCode, answer.body).toBe(400);
    expect((await owner.call('GET', '/api/files')).json()).toMatchObject({ total: before });
  });

  test('shared with the teams at once, which the audit log says', async () => {
    const { id } = await upload('shared', 'shared.txt', '/api/files/upload?share_with_my_teams=true');
    expect((await member.call('GET', `/api/files/${id}`)).statusCode).toBe(200);
    const { items } = (await owner.call('GET', `/api/audit?object_id=${id}`)).json<{
      items: { action: string }[];
    }>();
    expect(items.map((entry) => entry.action)).toEqual(['file.shared_with_teams', 'file.created']);
  });

  test('400: a form without a file', async () => {
    const request = new Request('http://x', { method: 'POST', body: new FormData() });
    const answer = await owner.call('POST', '/api/files/upload', Buffer.from(await request.arrayBuffer()), {
      'content-type': request.headers.get('content-type') ?? '',
    });
    expect(answer.statusCode).toBe(400);
  });

  test.each([
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['a\0b\r\n.txt', 'ab.txt'],
    ['gpj.\u202Eexe', 'gpj.exe'],
    ['', 'file'],
    ['日本.pdf', '日本.pdf'],
  ])('the name %j is shown as %j and never used as a path', (given, shown) => {
    expect(displayFilename(given)).toBe(shown);
  });
});

describe('downloads', () => {
  test('come as an attachment that a browser cannot run', async () => {
    const file = await upload('<script>alert(document.domain)</script>', 'ev"il\u{1F600}.html');
    const answer = await app.call('GET', file.download_url);
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toBe('<script>alert(document.domain)</script>');
    expect(answer.headers['content-disposition']).toBe(
      `attachment; filename="ev_il__.html"; filename*=UTF-8''ev%22il%F0%9F%98%80.html`,
    );
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.headers['content-security-policy']).toBe("sandbox; default-src 'none'");
  });

  test('§4.6: in parts, so that a client can go on where it stopped', async () => {
    const { id, download_url } = await upload('0123456789');
    const get = (range: string, more = {}, url = download_url) =>
      app.call('GET', url, undefined, { range, ...more });
    const whole = await app.call('GET', download_url);
    const etag = String(whole.headers['etag']);
    expect([whole.statusCode, whole.headers['accept-ranges']]).toEqual([200, 'bytes']);
    for (const [range, part, place] of [
      ['bytes=0-3', '0123', '0-3'],
      ['bytes=5-', '56789', '5-9'],
      ['bytes=-3', '789', '7-9'],
      ['bytes=8-100', '89', '8-9'],
    ] as const) {
      const answer = await get(range);
      expect([answer.statusCode, answer.body], range).toEqual([206, part]);
      expect(answer.headers['content-range']).toBe(`bytes ${place}/10`);
      expect(answer.headers['content-length']).toBe(String(part.length));
    }
    for (const range of ['bytes=0-1,4-5', 'lines=1-2', 'bytes=x', 'bytes=-100'])
      expect((await get(range)).body, range).toBe('0123456789');
    const behind = await get('bytes=10-');
    expect([behind.statusCode, behind.headers['content-range']]).toEqual([416, 'bytes */10']);
    expect((await get('bytes=0-1', { 'if-range': etag })).body).toBe('01');
    expect((await get('bytes=0-1', { 'if-range': '"another"' })).statusCode).toBe(200);
    const own = await owner.call('GET', `/api/files/${id}/download`, undefined, { range: 'bytes=2-3' });
    expect([own.statusCode, own.body]).toEqual([206, '23']);
    const head = await app.call('HEAD', download_url, undefined, { range: 'bytes=0-1' });
    expect([head.statusCode, head.headers['content-length']]).toEqual([200, '10']);
  });

  test('by a link with a limit are sent as a whole, since each part would count', async () => {
    const { id } = (await send('0123456789', 'digits.txt')).json<FileRecord>();
    const made = await owner.call('POST', `/api/files/${id}/share`, { max_downloads: 1 });
    const url = made.json<{ download_url: string }>().download_url;
    const answer = await app.call('GET', url, undefined, { range: 'bytes=0-1' });
    expect([answer.statusCode, answer.body, answer.headers['accept-ranges']]).toEqual([
      200,
      '0123456789',
      undefined,
    ]);
    expect((await app.call('GET', url)).statusCode).toBe(404);
  });

  test('with a session: for the owner; 404 for strangers', async () => {
    const { id } = await upload('mine');
    expect((await owner.call('GET', `/api/files/${id}/download`)).body).toBe('mine');
    expect((await stranger.call('GET', `/api/files/${id}/download`)).statusCode).toBe(404);
    expect((await app.call('GET', `/api/files/${id}/download`)).statusCode).toBe(401);
  });

  test('404 when the bytes are gone', async () => {
    const { id } = await upload('lost');
    const { rows } = await app.services.database.sql.query<{ storage_key: string }>({
      text: 'SELECT storage_key FROM files WHERE id = $1',
      values: [id],
    });
    for (const { storage_key } of rows) await app.services.files.remove(storage_key);
    expect((await owner.call('GET', `/api/files/${id}/download`)).statusCode).toBe(404);
  });
});

describe('links', () => {
  const link = async (id: string, body: Record<string, unknown>) => {
    const answer = await owner.call('POST', `/api/files/${id}/share`, body);
    expect(answer.statusCode, answer.body).toBe(200);
    return answer.json<{ id: string; token: string; download_url: string }>();
  };

  test('of 20 simultaneous downloads no more succeed than the link allows', async () => {
    const { id } = await upload();
    const { download_url } = await link(id, { max_downloads: 3 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => app.call('GET', download_url)));
    expect(answers.filter((answer) => answer.statusCode === 200)).toHaveLength(3);
    expect(answers.filter((answer) => answer.statusCode === 404)).toHaveLength(17);
    const links = (await owner.call('GET', `/api/files/${id}/share`)).json<unknown[]>();
    expect(links).toContainEqual(expect.objectContaining({ download_count: 3, max_downloads: 3 }));
  });

  test('asking for the headers alone takes no download from the others', async () => {
    const { id } = await upload();
    const { download_url } = await link(id, { max_downloads: 1 });
    for (let count = 0; count < 3; count++) {
      const head = await app.call('HEAD', download_url);
      expect(head.statusCode).toBe(200);
      expect(head.headers['content-disposition']).toContain('attachment');
    }
    expect((await app.call('GET', download_url)).statusCode).toBe(200);
    expect((await app.call('HEAD', download_url)).statusCode).toBe(404);
  });

  test('expire', async () => {
    const { id } = await upload();
    const { download_url } = await link(id, { expires_hours: 1 });
    expect((await app.call('GET', download_url)).statusCode).toBe(200);
    app.clock.now += 3_600_001;
    expect((await app.call('GET', download_url)).statusCode).toBe(404);
    app.clock.now -= 3_600_001;
  });

  test('with a password ask for it, on either address', async () => {
    const { id } = await upload('locked');
    const { token, download_url } = await link(id, { basic_auth_password: 'correct' });
    const header = (user: string, password: string) => ({
      authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
    });
    for (const url of [download_url, `/api/files/dl/${token}`, `/api/files/ba/${id}`]) {
      const anonymous = await app.call('GET', url);
      expect(anonymous.statusCode).toBe(401);
      expect(anonymous.headers['www-authenticate']).toContain('Basic realm="file"');
      expect((await app.call('GET', url, undefined, header('file', 'wrong'))).statusCode).toBe(401);
      expect((await app.call('GET', url, undefined, header('root', 'correct'))).statusCode).toBe(401);
      expect((await app.call('GET', url, undefined, header('file', 'correct'))).body).toBe('locked');
    }
  });

  test('429 after ten wrong passwords, also simultaneous ones', async () => {
    const { id } = await upload('locked');
    const { download_url } = await link(id, { basic_auth_password: 'correct' });
    const authorization = `Basic ${Buffer.from('file:wrong').toString('base64')}`;
    const guesses = Array.from({ length: 15 }, () =>
      app.call('GET', download_url, undefined, { authorization }),
    );
    const codes = (await Promise.all(guesses)).map((answer) => answer.statusCode).sort();
    expect(codes).toEqual([...Array(10).fill(401), ...Array(5).fill(429)]);
  });

  test('§2.5: are managed by the owner alone, and revoked at once', async () => {
    const { id } = await upload('shared', 'a.txt', '/api/files/upload?share_with_my_teams=true');
    const made = await link(id, {});
    for (const [user, status] of [
      [member, 403],
      [stranger, 404],
    ] as const) {
      expect((await user.call('GET', `/api/files/${id}/share`)).statusCode).toBe(status);
      expect((await user.call('POST', `/api/files/${id}/share`, {})).statusCode).toBe(status);
      expect((await user.call('DELETE', `/api/files/${id}/share/${made.id}`)).statusCode).toBe(status);
    }
    expect((await owner.call('DELETE', `/api/files/${id}/share/${made.id}`)).statusCode).toBe(204);
    expect((await app.call('GET', made.download_url)).statusCode).toBe(404);
  });

  test('an unknown token is not found', async () => {
    expect((await app.call('GET', '/api/files/dl/nothing')).statusCode).toBe(404);
    expect((await app.call('GET', '/api/files/dl/a%00b')).statusCode).toBe(404);
  });
});

describe('team sharing', () => {
  test('§2.5, §4.6: PATCH team-sharing: members of the teams of the owner read, the owner manages', async () => {
    const { id } = await upload('for the team');
    expect((await member.call('GET', `/api/files/${id}`)).statusCode).toBe(404);
    const shared = await owner.call('PATCH', `/api/files/${id}/team-sharing`, { enabled: true });
    expect(shared.json()).toEqual({ enabled: true, shared_team_count: 1 });
    expect((await member.call('GET', `/api/files/${id}`)).json()).toMatchObject({
      is_shared: true,
      shared_by: owner.email,
      shared_by_team: 'Readers',
      download_url: null,
    });
    expect((await member.call('GET', `/api/files/${id}/download`)).body).toBe('for the team');
    expect((await member.call('DELETE', `/api/files/${id}`)).statusCode).toBe(403);
    expect((await member.call('PATCH', `/api/files/${id}/team-sharing`, { enabled: false })).statusCode).toBe(
      403,
    );
    const ended = await owner.call('PATCH', `/api/files/${id}/team-sharing`, { enabled: false });
    expect(ended.json()).toMatchObject({ enabled: false });
    for (const rest of ['', '/download']) {
      expect((await member.call('GET', `/api/files/${id}${rest}`)).statusCode).toBe(404);
    }
    expect((await owner.call('DELETE', `/api/files/${id}`)).statusCode).toBe(204);
  });
});

describe('lists and bulk', () => {
  test('filters and pages; total counts all', async () => {
    const me = await app.user();
    for (const name of ['a.csv', 'b.csv', 'c.txt']) await send('x,y\n', name, undefined, me);
    const list = (query: string) => me.call('GET', `/api/files${query}`);
    expect((await list('?mime_type=csv&limit=1')).json()).toMatchObject({
      total: 2,
      files: [{ filename: expect.stringMatching('csv') }],
    });
    expect((await list('?search=c.t')).json()).toMatchObject({ total: 1 });
    expect((await list('?mime_type=csv&offset=5')).json()).toEqual({ files: [], total: 2 });
    expect((await me.call('DELETE', '/api/files')).statusCode).toBe(204);
    expect((await list('')).json()).toEqual({ files: [], total: 0 });
  });

  test('what one file refuses does not stop the others', async () => {
    const [mine, foreign] = [
      await upload(),
      (await send('x', 'x.txt', undefined, stranger)).json<FileRecord>(),
    ];
    const answer = await owner.call('POST', '/api/files/delete/bulk', { file_ids: [foreign.id, mine.id] });
    expect(answer.json()).toEqual({
      succeeded: [mine.id],
      failed: [{ id: foreign.id, reason: 'File not found' }],
    });
    expect((await stranger.call('GET', `/api/files/${foreign.id}`)).statusCode).toBe(200);
    const tried = await stranger.call('GET', `/api/audit?object_id=${foreign.id}&outcome=refused`);
    expect(tried.json()).toMatchObject({
      items: [{ action: 'bulkDeleteFiles', object_kind: 'file', actor_email: owner.email }],
    });
  });

  test('links and team sharing for several', async () => {
    const { id } = await upload();
    const shared = await owner.call('POST', '/api/files/share/bulk', { file_ids: [id], max_downloads: 1 });
    expect(shared.json()).toEqual({ succeeded: [id], failed: [] });
    await owner.call('POST', '/api/files/team-sharing/bulk', { file_ids: [id], enabled: true });
    expect((await member.call('GET', `/api/files/${id}`)).statusCode).toBe(200);
  });

  test('several files as a ZIP with unique names, foreign ones left out', async () => {
    const [one, two] = [await upload('one', 'same.txt'), await upload('two', 'same.txt')];
    const foreign = (await send('secret', 'x.txt', undefined, stranger)).json<FileRecord>();
    const answer = await owner.call('POST', '/api/files/download/bulk', {
      file_ids: [one.id, two.id, foreign.id],
    });
    const zip = await fromBufferPromise(answer.rawPayload);
    const contents: Record<string, string> = {};
    for await (const entry of zip.eachEntry()) {
      contents[entry.fileName] = (await buffer(await zip.openReadStreamPromise(entry))).toString();
    }
    expect(Object.keys(contents).sort()).toEqual(['same (2).txt', 'same.txt']);
    expect(Object.values(contents).sort()).toEqual(['one', 'two']);
  });
});
