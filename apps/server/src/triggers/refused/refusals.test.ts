import { createHmac } from 'node:crypto';
import type { InboxEntry, InboxList } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { newOrderedId } from '../../core/ids.ts';
import { createKeyring } from '../../core/secrets/fernet.ts';
import { rotateCredentialKeys } from '../../resources/credentials/keys.ts';
import { graph } from '../../resources/executions/testing/workflows.ts';
import {
  MOST_WITH_CONTENT,
  MOST_WITHOUT_CONTENT,
  purgeRefused,
  storeRefusal,
} from '../../resources/inbox/refused.ts';
import { useOwnTestApp } from '../../testing/test-app.ts';
import { createRefusals, KEPT_IN_A_MINUTE } from './refusals.ts';

const SECRET = 'webhook-signing-secret';
const QUEUE_LIMIT = 3;
const app = await useOwnTestApp({ env: { TRIGGER_QUEUE_LIMIT: String(QUEUE_LIMIT) } });
const owner = await app.user();
const stranger = await app.user();

let count = 0;

interface Armed {
  readonly id: string;
  readonly hook: string;
  /** Saves the node with these settings. */
  save(data: object): Promise<void>;
}

async function arm(data: object = {}): Promise<Armed> {
  const hook = `refusing-${(count += 1)}`;
  const content = (more: object) =>
    graph(
      [
        [hook, 'webhookTrigger', { label: 'hook', ...data, ...more }],
        ['out', 'output', { message: '$hook.body' }],
      ],
      [`${hook}>out`],
    );
  const made = await owner.call('POST', '/api/workflows', { name: hook, ...content({}) });
  expect(made.statusCode, made.body).toBe(201);
  const { id } = made.json<{ id: string }>();
  return {
    id,
    hook,
    async save(more) {
      const saved = await owner.call('PUT', `/api/workflows/${id}`, content(more));
      expect(saved.statusCode, saved.body).toBe(200);
    },
  };
}

const deliver = (
  { hook }: Armed,
  payload: string | Buffer = '{"order":7}',
  headers: Record<string, string> = {},
) =>
  app.app.inject({
    method: 'POST',
    url: `/api/webhooks/${hook}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload,
  });

const list = async (query: string, user = owner) => {
  const answer = await user.call('GET', `/api/inbox?${query}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<InboxList>();
};
const listRefused = async ({ id }: Armed, more = ''): Promise<InboxEntry[]> =>
  (await list(`kind=refused&workflow_id=${id}${more}`)).items;
const send = (ids: (string | undefined)[], user = owner) =>
  user.call('POST', '/api/inbox/send', { delivery_ids: ids });

async function loadInputs({ id }: Armed) {
  const { rows } = await app.services.database.sql.query<{ input: string }>({
    text: 'SELECT input FROM runs WHERE workflow_id = $1 ORDER BY id',
    values: [id],
  });
  return rows.map(({ input }) => JSON.parse(input) as Record<string, unknown>);
}

/** As many runs wait as may. */
async function fillQueue({ id }: Armed): Promise<void> {
  const { sql } = app.services.database;
  for (let run = 0; run < QUEUE_LIMIT; run++)
    await sql.query({
      text: `INSERT INTO runs (id, workflow_id, state, status, input, started_at, ready_at)
        VALUES ($1, $2, 0, 'running', '{}', now(), now() + interval '1 hour')`,
      values: [newOrderedId(app.services.now()), id],
    });
}
const emptyQueue = ({ id }: Armed) =>
  app.services.database.sql.query({
    text: "DELETE FROM runs WHERE workflow_id = $1 AND state = 0 AND input = '{}'",
    values: [id],
  });

describe('refused deliveries', () => {
  test('a full queue: kept encrypted, listed for those who see the workflow, and sent again as one run', async () => {
    const hook = await arm();
    await fillQueue(hook);
    const answer = await deliver(hook, '{"card":"4111-secret"}');
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '5']);
    const [entry] = await listRefused(hook);
    expect(entry).toMatchObject({
      kind: 'refused',
      workflow_id: hook.id,
      trigger_source: 'webhook',
      reason: 'Too many runs of this workflow wait; deliver again later',
      refusal: { because: 'queue_full', node_id: hook.hook, count: 1, can_be_sent: true },
    });
    const { rows } = await app.services.database.sql.query({
      text: 'SELECT * FROM refused_deliveries WHERE workflow_id = $1',
      values: [hook.id],
    });
    expect(JSON.stringify(rows)).not.toContain('4111-secret');
    expect((await list('kind=refused', stranger)).items).toEqual([]);
    expect((await send([entry?.execution_id], stranger)).json()).toMatchObject({ sent: 0, not_sent: [{}] });
    await emptyQueue(hook);
    expect((await send([entry?.execution_id, entry?.execution_id])).json()).toEqual({
      sent: 1,
      not_sent: [],
    });
    expect(await loadInputs(hook)).toMatchObject([
      { body: { card: '4111-secret' }, triggered_by: 'webhook' },
    ]);
    expect(await listRefused(hook)).toEqual([]);
    const again = await send([entry?.execution_id]);
    expect(again.json()).toMatchObject({
      sent: 0,
      not_sent: [{ message: expect.stringContaining('not kept') }],
    });
    expect(await loadInputs(hook)).toHaveLength(1);
  });

  test('a delivery that its source delivers again leaves the inbox by itself, and starts one run', async () => {
    const hook = await arm({ eventIdHeader: 'X-Id' });
    await fillQueue(hook);
    const headers = { 'x-id': 'e1' };
    await deliver(hook, '{"a":1}', headers);
    await deliver(hook, '{"a":1}', headers);
    const [entry] = await listRefused(hook);
    expect(entry?.refusal).toMatchObject({ count: 2, can_be_sent: true });
    await emptyQueue(hook);
    expect((await deliver(hook, '{"a":1}', headers)).statusCode).toBe(200);
    expect(await listRefused(hook)).toEqual([]);
    expect((await send([entry?.execution_id])).json()).toEqual({ sent: 1, not_sent: [] });
    expect(await loadInputs(hook)).toHaveLength(1);
  });

  test('the limit of runs at once', async () => {
    const hook = await arm();
    const limits = { concurrency_limit: 1, queue_limit: 0 };
    expect((await owner.call('PUT', `/api/workflows/${hook.id}`, limits)).statusCode).toBe(200);
    await app.services.database.sql.query({
      text: `WITH r AS (INSERT INTO runs (id, workflow_id, state, status, input, started_at, ready_at)
          VALUES ($1, $2, 0, 'running', '{}', now(), now() + interval '1 hour') RETURNING id)
        INSERT INTO run_places (id, workflow_id, place_key, run_id) SELECT id, $2, '', id FROM r`,
      values: [newOrderedId(app.services.now()), hook.id],
    });
    expect((await deliver(hook)).statusCode).toBe(429);
    expect(await listRefused(hook)).toMatchObject([{ refusal: { because: 'no_place', can_be_sent: true } }]);
  });

  test('a trigger that is off: what would have passed its check can be sent once it is on', async () => {
    const hook = await arm({ active: false });
    expect((await deliver(hook)).statusCode).toBe(404);
    const [entry] = await listRefused(hook);
    expect(entry?.refusal).toMatchObject({ because: 'off', can_be_sent: true });
    expect((await send([entry?.execution_id])).json()).toMatchObject({
      sent: 0,
      not_sent: [{ message: expect.stringContaining('paused or off') }],
    });
    await hook.save({ active: true });
    expect((await send([entry?.execution_id])).json()).toMatchObject({ sent: 1 });
    expect(await loadInputs(hook)).toMatchObject([{ body: { order: 7 } }]);
  });

  test('a trigger that is off is no address, also when its settings cannot be read', async () => {
    const hook = await arm({ active: false });
    await app.services.database.sql.query({
      text: `UPDATE triggers SET settings = '{"methods":7}' WHERE workflow_id = $1`,
      values: [hook.id],
    });
    expect((await deliver(hook)).statusCode).toBe(404);
  });

  test('a body that cannot be read or is too large is counted without its content', async () => {
    const hook = await arm();
    expect((await deliver(hook, '{"broken')).statusCode).toBe(422);
    expect((await deliver(hook, Buffer.alloc(16 * 1024 * 1024 + 1, 'a'))).statusCode).toBe(413);
    expect((await listRefused(hook)).map(({ refusal }) => refusal)).toMatchObject([
      { because: 'too_large', can_be_sent: false },
      { because: 'invalid_body', can_be_sent: false },
    ]);
  });

  test('a wrong signature leaves nothing, on or off', async () => {
    const made = await owner.call('POST', '/api/credentials', {
      name: `signed ${count}`,
      type: 'webhook_secret',
      config: { secret: SECRET },
    });
    expect(made.statusCode, made.body).toBe(201);
    const settings = { authentication: 'hmac', credentialId: made.json<{ id: string }>().id };
    const hook = await arm(settings);
    expect((await deliver(hook, '{}', { 'x-hub-signature-256': 'sha256=00' })).statusCode).toBe(401);
    await hook.save({ active: false });
    expect((await deliver(hook, '{}', { 'x-hub-signature-256': 'sha256=00' })).statusCode).toBe(404);
    expect(await listRefused(hook)).toEqual([]);
    const signature = `sha256=${createHmac('sha256', SECRET).update('{}').digest('hex')}`;
    expect((await deliver(hook, '{}', { 'x-hub-signature-256': signature })).statusCode).toBe(404);
    expect(await listRefused(hook)).toHaveLength(1);
  });

  test('are searched, dismissed, restored, and paged together with failed runs', async () => {
    const hook = await arm();
    await deliver(hook, '{"broken');
    app.clock.now += 60_000;
    await deliver(hook, '{"broken');
    const all = await list(`workflow_id=${hook.id}`);
    expect([all.items.length, all.counts]).toEqual([2, { failed: 0, given_up: 0, refused: 2 }]);
    const first = await list(`workflow_id=${hook.id}&limit=1`);
    const second = await list(`workflow_id=${hook.id}&limit=1&before=${first.next_before}`);
    expect([first.items[0], second.items[0], second.next_before]).toEqual([...all.items, null]);
    const [entry] = all.items;
    expect(
      await listRefused(hook, `&search=${encodeURIComponent(entry?.reason?.slice(0, 8) ?? '')}`),
    ).toHaveLength(2);
    expect(await listRefused(hook, '&search=nothing-like-it')).toEqual([]);
    expect((await list(`kind=failed&workflow_id=${hook.id}`)).items).toEqual([]);
    const ids = { execution_ids: [entry?.execution_id] };
    expect((await owner.call('POST', '/api/inbox/dismiss', ids)).json()).toEqual({ dismissed: 1 });
    expect(await listRefused(hook)).toHaveLength(1);
    expect(await listRefused(hook, '&dismissed=true')).toHaveLength(1);
    expect((await owner.call('POST', '/api/inbox/restore', ids)).json()).toEqual({ restored: 1 });
    expect(await listRefused(hook)).toHaveLength(2);
  });

  test('422 for no ids, and for more than a request takes', async () => {
    expect((await send([])).statusCode).toBe(422);
    const many = Array.from({ length: 101 }, () => '00000000-0000-4000-8000-000000000000');
    expect((await send(many)).statusCode).toBe(422);
  });
});

describe('a flood', () => {
  test('is stored one by one up to a bound and counted beyond it', async () => {
    const hook = await arm();
    const { sql } = app.services.database;
    const refusals = createRefusals(app.services, sql);
    const trigger = { workflow_id: hook.id, node_id: hook.hook };
    const extra = 1_000;
    for (let event = 0; event < KEPT_IN_A_MINUTE + extra; event++)
      await refusals.note({
        trigger,
        source: 'webhook',
        reason: 'queue_full',
        message: 'full',
        event: { cause: `flood ${event}`, input: { event } },
      });
    expect(refusals.hasRoom(trigger)).toBe(false);
    await refusals.flush();
    const entries = await listRefused(hook, '&limit=500');
    expect(entries).toHaveLength(KEPT_IN_A_MINUTE + 1);
    expect(entries.filter(({ refusal }) => !refusal?.can_be_sent)).toMatchObject([
      { refusal: { count: extra } },
    ]);
    app.clock.now += 60_000;
    expect(refusals.hasRoom(trigger)).toBe(true);
  });

  test('fills no more than the rows of its workflow, the newest ones; what has no content pushes out nothing else', async () => {
    const hook = await arm();
    const { sql } = app.services.database;
    const base = { workflow_id: hook.id, node_id: hook.hook, source: null, message: 'm' };
    const fill = async (prefix: string, most: number, input: string | null) => {
      for (let row = 0; row < most + 20; row++)
        await storeRefusal(sql, {
          ...base,
          id: newOrderedId(app.services.now()),
          reason: 'queue_full',
          cause: `${prefix}${row}`,
          input,
          count: 1,
          at_ms: app.services.now(),
        });
    };
    await fill('kept', MOST_WITH_CONTENT, 'sealed');
    await fill('counted', MOST_WITHOUT_CONTENT, null);
    const { rows } = await sql.query<{ rows: number; first: string }>({
      text: `SELECT count(*)::int AS rows, (array_agg(cause ORDER BY id))[1] AS first FROM refused_deliveries
        WHERE workflow_id = $1 GROUP BY input IS NULL ORDER BY 1 DESC`,
      values: [hook.id],
    });
    expect(rows).toEqual([
      { rows: MOST_WITH_CONTENT, first: 'kept20' },
      { rows: MOST_WITHOUT_CONTENT, first: 'counted20' },
    ]);
  });

  test('of bodies that are too large, which need no signature, takes no place of what can be sent again', async () => {
    const hook = await arm();
    const refusals = createRefusals(app.services, app.services.database.sql);
    const trigger = { workflow_id: hook.id, node_id: hook.hook };
    const base = { trigger, source: 'webhook', message: 'no' } as const;
    for (let delivery = 0; delivery <= KEPT_IN_A_MINUTE; delivery++)
      await refusals.note({ ...base, reason: 'too_large' });
    await refusals.note({ ...base, reason: 'queue_full', event: { cause: 'real', input: { order: 7 } } });
    await refusals.flush();
    expect((await listRefused(hook)).map(({ refusal }) => refusal)).toMatchObject([
      { because: 'queue_full', can_be_sent: true },
      { because: 'too_large', can_be_sent: false, count: KEPT_IN_A_MINUTE + 1 },
    ]);
  });

  test('a content that is too long is not kept; one whose workflow is gone leaves nothing', async () => {
    const hook = await arm();
    const refusals = createRefusals(app.services, app.services.database.sql);
    const note = (workflow_id: string) =>
      refusals.note({
        trigger: { workflow_id, node_id: hook.hook },
        source: null,
        reason: 'queue_full',
        message: 'full',
        event: { cause: 'large', input: { text: 'x'.repeat(200_000) } },
      });
    await note(hook.id);
    await note('00000000-0000-4000-8000-000000000000');
    expect(await listRefused(hook)).toMatchObject([{ refusal: { can_be_sent: false } }]);
  });

  test('is forgotten after its retention', async () => {
    const hook = await arm();
    await deliver(hook, '{"broken');
    const { sql } = app.services.database;
    const at = (days: number) => app.services.now() + days * 86_400_000;
    await purgeRefused(sql, { now_ms: at(13), days: 14 });
    expect(await listRefused(hook)).toHaveLength(1);
    await purgeRefused(sql, { now_ms: at(400), days: 0 });
    expect(await listRefused(hook)).toHaveLength(1);
    await purgeRefused(sql, { now_ms: at(15), days: 14 });
    expect(await listRefused(hook)).toEqual([]);
  });

  test('is removed by the daily job once it has started a run, even if refused deliveries are kept forever', async () => {
    const hook = await arm({ eventIdHeader: 'X-Id' });
    await fillQueue(hook);
    await deliver(hook, '{"a":1}', { 'x-id': 'e1' });
    await deliver(hook, '{"a":1}', { 'x-id': 'e2' });
    await emptyQueue(hook);
    expect((await deliver(hook, '{"a":1}', { 'x-id': 'e1' })).statusCode).toBe(200);
    const { sql } = app.services.database;
    await purgeRefused(sql, { now_ms: app.services.now(), days: 0 });
    const { rows } = await sql.query<{ cause: string }>({
      text: 'SELECT cause FROM refused_deliveries WHERE workflow_id = $1',
      values: [hook.id],
    });
    expect(rows).toMatchObject([{ cause: expect.stringContaining('e2') }]);
  });

  test('keeps its contents when the keys are rotated', async () => {
    const hook = await arm();
    await fillQueue(hook);
    await deliver(hook, '{"order":8}');
    const { db, sql } = app.services.database;
    const now = app.services.now;
    const { encryption_keys } = app.services.secrets;
    const rotate = (keys: string[]) =>
      rotateCredentialKeys({ db, sql, now, secrets: { ...app.services.secrets, encryption_keys: keys } });
    await rotate(['new key', ...encryption_keys]);
    const { rows } = await sql.query<{ input: string }>({
      text: 'SELECT input FROM refused_deliveries WHERE workflow_id = $1',
      values: [hook.id],
    });
    expect(createKeyring(['new key']).open(rows[0]?.input ?? '')).toContain('"order":8');
    await rotate([...encryption_keys, 'new key']);
    await emptyQueue(hook);
    const [entry] = await listRefused(hook);
    expect((await send([entry?.execution_id])).json()).toMatchObject({ sent: 1 });
  });
});
