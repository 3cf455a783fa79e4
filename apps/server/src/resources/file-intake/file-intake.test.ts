import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { useOwnTestApp } from '../../testing/test-app.ts';
import { createWorkflow, executeUrl, graph, parseFrames, until } from '../executions/testing/workflows.ts';

const intake = (data: Record<string, string | number> = {}) =>
  graph(
    [
      ['take', 'fileUploadTrigger', data],
      ['shape', 'set', { mappings: [{ key: 'name', value: '$take.file.name' }] }],
      ['out', 'output', { message: '$shape.name' }],
    ],
    ['take>shape', 'shape>out'],
  );

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*(Z|[+-]\d\d:\d\d)$/;

const app = await useOwnTestApp();
const owner = await app.user();
const stranger = await app.user();

interface Slot {
  readonly id: string;
  readonly slot_id: string;
  readonly upload_url: string;
}

async function mint(content = intake(), headers: Record<string, string> = {}): Promise<Slot> {
  const id = await createWorkflow(owner, content);
  const answer = await app.call('POST', executeUrl(id), { note: 1 }, headers);
  expect(answer.statusCode, answer.body).toBe(200);
  return { id, ...answer.json<Omit<Slot, 'id'>>() };
}

async function buildForm(content: string | Uint8Array, filename: string, field = 'file') {
  const form = new FormData();
  form.append(field, new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), filename);
  const sent = new Request('http://x', { method: 'POST', body: form });
  const headers = { 'content-type': sent.headers.get('content-type') ?? '' };
  return { payload: Buffer.from(await sent.arrayBuffer()), headers };
}

async function send(
  { upload_url }: Pick<Slot, 'upload_url'>,
  content: string | Uint8Array = 'hello',
  filename = 'a.txt',
) {
  const { payload, headers } = await buildForm(content, filename);
  return app.call('POST', new URL(upload_url).pathname, payload, headers);
}

const fileCount = async () => (await owner.call('GET', '/api/files')).json<{ total: number }>().total;
const fetchAuditActions = async ({ id }: Slot) => {
  const { items } = (await owner.call('GET', `/api/audit?object_id=${id}`)).json<{
    items: { action: string; outcome: string; details: Record<string, unknown>; client_ip: string | null }[];
  }>();
  return items.filter(({ action }) => action.startsWith('file_intake.'));
};
const fetchSlot = (slot: Slot, user = owner) => user.call('GET', `/api/file-intake/slots/${slot.slot_id}`);

describe('§4.3: a slot is minted when the workflow is invoked through the API', () => {
  test('execute answers with the slot instead of a result', async () => {
    const id = await createWorkflow(
      owner,
      intake({ ttlMinutes: 5, maxSizeMb: 2, allowedTypes: 'text/*, .csv' }),
    );
    const answer = await app.call('POST', executeUrl(id), {});
    expect(answer.statusCode).toBe(200);
    const slot = answer.json<Record<string, unknown>>();
    const upload_url = expect.stringMatching(/^https:\/\/test\.example\/api\/file-intake\/u\/[\w-]{43}$/);
    const payload = {
      file_upload_required: true,
      upload_url,
      curl: `curl -F "file=@your-file" "${String(slot['upload_url'])}"`,
      expires_at: expect.any(String),
      max_size_mb: 2,
      allowed_types: ['text/*', '.csv'],
      slot_id: answer.headers['x-execution-id'],
      instructions: expect.any(String),
    };
    expect(slot).toEqual({
      ...payload,
      workflow_id: id,
      status: 'awaiting_file_upload',
      outputs: payload,
      execution_time_ms: 0,
    });
    const left_ms = Date.parse(String(slot['expires_at'])) - app.clock.now;
    expect(Math.abs(left_ms - 300_000)).toBeLessThan(5_000);
    const simple = await app.call('POST', executeUrl(id), {}, { 'x-simple-response': 'true' });
    expect(simple.json()).toMatchObject({ file_upload_required: true });
    expect(simple.json()).not.toHaveProperty('outputs');
  });

  test('the stream is one frame with the slot', async () => {
    const id = await createWorkflow(owner, intake());
    const answer = await app.call('POST', executeUrl(id, '/stream'), {});
    expect(parseFrames(answer.body).map(({ data }) => data)).toEqual([
      expect.objectContaining({ type: 'file_upload_required', file_upload_required: true, max_size_mb: 99 }),
    ]);
  });

  test('the same idempotency key is the same slot, and after the upload its result', async () => {
    const id = await createWorkflow(owner, intake());
    const ask = async (url = executeUrl(id)) =>
      app.call('POST', url, { a: 1 }, { 'idempotency-key': 'once' });
    const first = (await ask()).json<Slot>();
    expect((await ask()).json()).toEqual(first);
    expect((await send(first)).statusCode).toBe(200);
    expect((await ask()).json()).toMatchObject({ status: 'success', outputs: { out: { result: 'a.txt' } } });
    expect((await ask(executeUrl(id, '/stream'))).body).toContain('execution_complete');
    expect((await fetchAuditActions({ ...first, id })).map(({ action }) => action)).toEqual([
      'file_intake.upload_accepted',
      'file_intake.minted',
    ]);
  });

  test('other start nodes do not run, and a result that is kept with the node stands for a file in a test run', async () => {
    const two = graph(
      [
        ['take', 'fileUploadTrigger', { pinnedData: { file: { name: 'pinned' } } }],
        ['text', 'textInput'],
        ['out', 'output', { message: '$take.file.name' }],
      ],
      ['take>out'],
    );
    const slot = await mint(two);
    const done = await send(slot);
    expect(done.json()).toMatchObject({ status: 'success', output: { out: { result: 'a.txt' } } });
    expect(done.json<{ output: object }>().output).not.toHaveProperty('text');
    const tested = await app.call('POST', executeUrl(slot.id, '?test_run=true'), {});
    expect(tested.json()).toMatchObject({ status: 'success', outputs: { out: { result: 'pinned' } } });
  });
});

describe('POST /api/file-intake/u/{token}', () => {
  test('§4.3, §5.7: consumes the slot, stores the file in the Drive, runs the workflow and answers with its result', async () => {
    const slot = await mint();
    const answer = await send(slot, 'name;price\n', 'prices.csv');
    expect(answer.statusCode, answer.body).toBe(200);
    const body = answer.json<{ run_id: string; file: { id: string; download_url: string } }>();
    expect(body).toEqual({
      run_id: slot.slot_id,
      status: 'success',
      file: {
        id: expect.any(String),
        name: 'prices.csv',
        mime: 'text/csv',
        size: 11,
        download_url: expect.stringContaining('/api/files/dl/'),
      },
      output: { out: { result: 'prices.csv' } },
    });
    expect((await app.call('GET', body.file.download_url)).body).toBe('name;price\n');
    const stored = await owner.call('GET', `/api/files/${body.file.id}`);
    // The slot was asked for without a session; the file belongs to the owner all the same.
    expect(stored.json()).toMatchObject({
      filename: 'prices.csv',
      workflow_id: slot.id,
      is_shared: false,
    });
  });

  test('§6.2, §6.3: the run receives file, time and what is known of the upload, under the label file_upload', async () => {
    const slot = await mint();
    await send(slot);
    const entry = await owner.call('GET', `/api/workflows/${slot.id}/history/${slot.slot_id}`);
    expect(entry.json()).toMatchObject({
      status: 'success',
      trigger_source: 'file_upload',
      inputs: {
        file: { name: 'a.txt', mime: 'text/plain', size: 5 },
        uploaded_at: expect.stringMatching(ISO),
        client_ip: expect.any(String),
        slot_id: slot.slot_id,
        triggered_by: 'file_upload',
        trigger_node_id: 'take',
      },
    });
    const drawer = await mint(intake(), { 'x-trigger-source': 'Quick Drawer' });
    await send(drawer);
    const second = await owner.call('GET', `/api/workflows/${drawer.id}/history/${drawer.slot_id}`);
    expect(second.json()).toMatchObject({ trigger_source: 'Quick Drawer' });
    const triggers = await owner.call('GET', `/api/triggers?workflow_id=${slot.id}`);
    expect(triggers.json()).toMatchObject([
      { kind: 'upload', state: 'armed', last_event_at: expect.any(String) },
    ]);
  });

  test('§5.7: of ten uploads at the same moment one wins, the others get 409, and one file is stored', async () => {
    const slot = await mint();
    const before = await fileCount();
    const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => send(slot, `content ${at}`)));
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, ...Array(9).fill(409)]);
    expect(await fileCount()).toBe(before + 1);
    expect((await send(slot)).statusCode).toBe(409);
    const rejected = (await fetchAuditActions(slot)).filter(
      ({ action }) => action === 'file_intake.rejected_used',
    );
    expect(rejected).toHaveLength(10);
    expect(rejected[0]).toMatchObject({ outcome: 'refused', client_ip: expect.any(String) });
    const history = await owner.call('GET', `/api/workflows/${slot.id}/history`);
    expect(history.json()).toMatchObject({ items: [{ status: 'success' }] });
  });

  test('§5.7: 404 unknown; a callback is no upload slot, and an upload slot no callback', async () => {
    expect((await send({ upload_url: 'https://x/api/file-intake/u/unknown' })).statusCode).toBe(404);
    const asking = graph(
      [
        ['start', 'textInput'],
        ['ask', 'callback'],
      ],
      ['start>ask'],
    );
    const id = await createWorkflow(owner, asking);
    const { outputs } = (await app.call('POST', executeUrl(id), {})).json<{
      outputs: { ask: { url: string } };
    }>();
    const token = outputs.ask.url.split('/').at(-1);
    expect((await send({ upload_url: `https://x/api/file-intake/u/${token}` })).statusCode).toBe(404);
    const slot = await mint();
    const url = slot.upload_url;
    const changed = `${url.slice(0, -1)}${url.endsWith('A') ? 'B' : 'A'}`;
    expect((await send({ upload_url: changed })).statusCode).toBe(404);
    const other = await app.call('POST', `/api/callbacks/${slot.upload_url.split('/').at(-1)}`, {});
    expect(other.statusCode).toBe(404);
  });

  async function expire(slot: Slot) {
    await app.services.database.sql.query({
      text: "UPDATE waits SET due_at = now() - interval '1 second' WHERE run_id = $1",
      values: [slot.slot_id],
    });
    const url = `/api/workflows/${slot.id}/history/${slot.slot_id}`;
    return until(async () => {
      const found = await owner.call('GET', url);
      return ['success', 'error'].includes(found.json<{ status: string }>().status) && found;
    });
  }

  test('§4.3: a run whose slot expires fails when nothing is connected to "expired"', async () => {
    const slot = await mint();
    const entry = await expire(slot);
    const message = 'No file was sent before the upload address expired';
    expect(entry.json()).toMatchObject({ status: 'error', outputs: { error: message } });
    expect(entry.json()).toMatchObject({
      node_results: [{ node_id: 'take', status: 'error', error: message }],
    });
    expect((await fetchSlot(slot)).json()).toMatchObject({ status: 'expired', run: null });
  });

  test('§4.3: 410 after the deadline; the run continues at the output "expired" and ends with an error', async () => {
    const content = graph(
      [
        ['take', 'fileUploadTrigger', { ttlMinutes: 1 }],
        ['late', 'output', { message: 'nothing came' }],
      ],
      ['take:expired>late'],
    );
    const slot = await mint(content);
    app.clock.now += 61_000;
    const before = await fileCount();
    expect((await send(slot)).statusCode).toBe(410);
    expect((await fetchSlot(slot)).json()).toMatchObject({ status: 'expired', run: null });
    expect(await fileCount()).toBe(before);
    const entry = await expire(slot);
    expect(entry.json()).toMatchObject({ status: 'error', outputs: { late: { result: 'nothing came' } } });
    expect((await send(slot)).statusCode).toBe(410);
    expect((await fetchAuditActions(slot))[0]).toMatchObject({ action: 'file_intake.rejected_expired' });
  });

  test('410 when the run was cancelled', async () => {
    const slot = await mint();
    await owner.call('POST', `/api/workflows/${slot.id}/executions/${slot.slot_id}/cancel`);
    expect((await fetchSlot(slot)).json()).toMatchObject({ status: 'cancelled', run: null });
    expect((await send(slot)).statusCode).toBe(410);
  });

  test('410 when the run is cancelled while the file arrives', async () => {
    const slot = await mint();
    const stored = vi.spyOn(app.services.files, 'put');
    stored.mockImplementation(async (_key, body) => {
      for await (const chunk of body) expect(chunk).toBeDefined();
      await owner.call('POST', `/api/workflows/${slot.id}/executions/${slot.slot_id}/cancel`);
    });
    const answer = await send(slot).finally(() => stored.mockRestore());
    expect([answer.statusCode, answer.json<{ detail: string }>().detail]).toEqual([
      410,
      'The run of this address was cancelled; request a new one',
    ]);
  });

  test('§4.3: 413 for a file that is too big; it leaves nothing behind and the slot stays open', async () => {
    const slot = await mint(intake({ maxSizeMb: 1 }));
    const before = await fileCount();
    expect((await send(slot, Buffer.alloc(1024 * 1024 + 1, 'a'))).statusCode).toBe(413);
    expect(await fileCount()).toBe(before);
    expect((await fetchAuditActions(slot))[0]).toMatchObject({ action: 'file_intake.rejected_size' });
    expect((await send(slot, Buffer.alloc(1024 * 1024, 'a'))).statusCode).toBe(200);
  });

  test.each([
    ['a text that calls itself a picture', 'hello', 'a.png', 415],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'a.txt', 200],
    ['a table by its ending', 'a;b', 'A.CSV', 200],
  ])('§4.3: 415 for another type, as the bytes say: %s', async (_, content, filename, status) => {
    const slot = await mint(intake({ allowedTypes: 'image/*, csv' }));
    expect((await send(slot, content, filename)).statusCode).toBe(status);
    if (status === 200) return;
    expect((await fetchAuditActions(slot))[0]).toMatchObject({
      action: 'file_intake.rejected_type',
      outcome: 'refused',
    });
    expect((await fetchSlot(slot)).json()).toMatchObject({ status: 'pending' });
    expect((await send(slot, 'a;b', 'a.csv')).statusCode).toBe(200);
  });

  test('415 without a form, 400 without a file or with one that is cut off; the slot stays open', async () => {
    const slot = await mint();
    const path = new URL(slot.upload_url).pathname;
    expect((await app.call('POST', path, { a: 1 })).statusCode).toBe(415);
    const empty = new Request('http://x', { method: 'POST', body: new FormData() });
    const type = { 'content-type': empty.headers.get('content-type') ?? '' };
    expect((await app.call('POST', path, Buffer.from(await empty.arrayBuffer()), type)).statusCode).toBe(400);
    const { payload, headers } = await buildForm('hello', 'a.txt');
    expect((await app.call('POST', path, payload.subarray(0, -60), headers)).statusCode).toBe(400);
    expect((await send(slot)).statusCode).toBe(200);
  });

  test('§4.1 rule 6: a run that fails says so, and the audit log knows', async () => {
    const content = graph(
      [
        ['take', 'fileUploadTrigger'],
        ['no', 'throwError', { errorMessage: 'not today', httpStatusCode: 422 }],
      ],
      ['take>no'],
    );
    const slot = await mint(content);
    const answer = await send(slot);
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({ status: 'error', run_id: slot.slot_id, file: { name: 'a.txt' } });
    expect((await fetchAuditActions(slot)).map(({ action }) => action)).toEqual([
      'file_intake.run_failed',
      'file_intake.upload_accepted',
      'file_intake.minted',
    ]);
  });
});

test('an audit log that cannot be written does not take the place of the answer', async () => {
  const { sql } = app.services.database;
  const failing = graph(
    [
      ['take', 'fileUploadTrigger', { allowedTypes: 'text/*' }],
      ['no', 'throwError', { errorMessage: 'not today', httpStatusCode: 422 }],
    ],
    ['take>no'],
  );
  const slot = await mint(failing);
  await sql.query({
    text: `ALTER TABLE audit_entries ADD CONSTRAINT away
      CHECK (action NOT IN ('file_intake.rejected_type', 'file_intake.run_failed')) NOT VALID`,
  });
  const answers = [await send(slot, Buffer.from([0, 1, 2])), await send(slot)];
  await sql.query({ text: 'ALTER TABLE audit_entries DROP CONSTRAINT away' });
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([415, 422]);
});

describe('GET /api/file-intake/slots/{slot_id}', () => {
  test('shows the state of the slot to those who see the workflow, and nothing to others', async () => {
    const slot = await mint();
    expect((await fetchSlot(slot)).json()).toEqual({
      status: 'pending',
      run_id: slot.slot_id,
      expires_at: expect.any(String),
      run: null,
    });
    await send(slot);
    expect((await fetchSlot(slot)).json()).toMatchObject({
      status: 'consumed',
      run: { status: 'success', outputs: { out: { result: 'a.txt' } }, execution_history_id: slot.slot_id },
    });
    const unknown = { ...slot, slot_id: '00000000-0000-4000-8000-000000000000' };
    for (const answer of [await fetchSlot(slot, stranger), await fetchSlot(unknown)])
      expect([answer.statusCode, answer.json<{ detail: string }>().detail]).toEqual([
        404,
        'Upload slot not found',
      ]);
  });
});

test('§4.3: the file goes to the store as it comes, and is not collected first', async () => {
  const slot = await mint();
  await app.listen();
  const { port } = app.app.server.address() as AddressInfo;
  const store = app.services.files;
  const stored = vi.spyOn(store, 'put');
  let arrived: () => void = () => undefined;
  const firstPart = new Promise<void>((resolve) => (arrived = resolve));
  stored.mockImplementation(async (_key, body) => {
    for await (const chunk of body) if (chunk.length > 0) arrived();
  });
  try {
    const { payload, headers } = await buildForm(Buffer.alloc(200_000, 'a'), 'a.txt');
    const answered = new Promise<number | undefined>((resolve, reject) => {
      const path = new URL(slot.upload_url).pathname;
      const to = request({ port, host: '127.0.0.1', method: 'POST', path, headers });
      to.on('response', (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      to.on('error', reject);
      to.write(payload.subarray(0, 150_000));
      // The rest is sent only when the store has some of it.
      void firstPart.then(() => to.end(payload.subarray(150_000)));
    });
    expect(await answered).toBe(200);
  } finally {
    stored.mockRestore();
  }
});

test('the token is stored nowhere', async () => {
  const slot = await mint();
  const token = slot.upload_url.split('/').at(-1) ?? '';
  const { sql } = app.services.database;
  const texts: string[] = [];
  for (const table of ['runs', 'waits', 'steps', 'audit_entries']) {
    const { rows } = await sql.query({ text: `SELECT row_to_json(t)::text AS text FROM ${table} t` });
    texts.push(...rows.map((row) => String(row['text'])));
  }
  expect(texts.some((text) => text.includes(slot.slot_id))).toBe(true);
  expect(texts.filter((text) => text.includes(token))).toEqual([]);
});
