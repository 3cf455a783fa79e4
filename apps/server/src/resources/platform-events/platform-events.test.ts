import { expect, test } from 'vitest';
import { useTestApp } from '../../testing/test-app.ts';
import { createWorkflow, executeUrl, graph } from '../executions/testing/workflows.ts';
import { createWorkflowRules } from '../workflow-rules.ts';

const app = await useTestApp();
const owner = await app.user();
const other = await app.user();

const publish = (body: object, headers = {}, user = owner) =>
  user.call('POST', '/api/platform-events', body, headers);
const stored = async (name: string) =>
  (
    await app.services.database.sql.query<{
      id: string;
      owner_id: string;
      workflow_id: string | null;
      payload: string;
    }>({
      text: 'SELECT id, owner_id, workflow_id, payload FROM platform_events WHERE name = $1 ORDER BY id',
      values: [name],
    })
  ).rows;

test('§6.2: a person publishes an event to their own workflows', async () => {
  const answer = await publish({ name: 'custom.order.paid', payload: { order: 12 } });
  expect(answer.statusCode, answer.body).toBe(201);
  const { id } = answer.json<{ id: string }>();
  expect(answer.json()).toEqual({ id, name: 'custom.order.paid', created_at: expect.stringMatching(/Z$/) });
  expect(await stored('custom.order.paid')).toEqual([
    { id, owner_id: owner.id, workflow_id: null, payload: '{"order":12}' },
  ]);
  expect((await app.call('POST', '/api/platform-events', { name: 'custom.x' })).statusCode).toBe(401);
});

test.each([
  'workflow.deleted',
  'run.failed',
  'instance.started',
  'heym.started',
  'custom',
  'custom.',
  'Custom.a',
  'customs.a',
  'custom.a b',
  ' custom.a',
  `custom.${'a'.repeat(51)}`,
])('an own event cannot be named "%s"', async (name) => {
  const answer = await publish({ name });
  expect(answer.statusCode).toBe(422);
  expect(answer.json()).toMatchObject({
    detail: [{ loc: ['body', 'name'], msg: expect.stringMatching(/custom\.order\.paid/) }],
  });
});

test('a payload is an object, not too large, and has no keys of prototypes', async () => {
  for (const payload of [[1], 'text', { text: 'x'.repeat(17_000) }])
    expect((await publish({ name: 'custom.a', payload })).statusCode).toBe(422);
  const forged = JSON.parse('{"name":"custom.a","payload":{"__proto__":{"a":1}}}') as object;
  expect((await publish(forged)).statusCode).toBe(422);
  expect(await stored('custom.a')).toEqual([]);
});

test('an Idempotency-Key is one event, which belongs to one person and one body', async () => {
  const body = { name: 'custom.once', payload: { n: 1 } };
  const key = { 'idempotency-key': 'k1' };
  const answers = await Promise.all([publish(body, key), publish(body, key), publish(body, key)]);
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201]);
  expect(new Set(answers.map((answer) => answer.json<{ id: string }>().id)).size).toBe(1);
  expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(2);
  const changed = await publish({ ...body, payload: { n: 2 } }, key);
  expect(changed.statusCode).toBe(422);
  expect(changed.json()).toMatchObject({ detail: [{ type: 'idempotency_key_reused' }] });
  expect((await publish(body, key, other)).headers['idempotent-replayed']).toBeUndefined();
  expect(await stored('custom.once')).toHaveLength(2);
  await publish(body);
  await publish(body);
  expect(await stored('custom.once')).toHaveLength(4);
});

test('a node publishes for the person of its run, once for its round, also when it is repeated', async () => {
  const document = graph(
    [
      ['start', 'textInput'],
      [
        'tell',
        'publishEvent',
        { eventName: 'custom.run.told', eventPayload: '{"text": "$start.body.text"}' },
      ],
    ],
    ['start>tell'],
  );
  const id = await createWorkflow(owner, document);
  const answer = await owner.call('POST', executeUrl(id), { text: 'hello' });
  expect(answer.statusCode, answer.body).toBe(200);
  const events = await stored('custom.run.told');
  expect(events).toEqual([
    { id: expect.any(String), owner_id: owner.id, workflow_id: id, payload: '{"text":"hello"}' },
  ]);
  expect(answer.json()).toMatchObject({ outputs: { tell: { id: events[0]?.id, name: 'custom.run.told' } } });
  const { publishEvent } = createWorkflowRules(app.services);
  const again = await publishEvent({
    name: 'custom.run.told',
    payload: { text: 'hello' },
    owner_id: owner.id,
    workflow_id: id,
    key: `${String(answer.headers['x-execution-id'])}:tell:`,
  });
  expect(again.id).toBe(events[0]?.id);
  expect(await stored('custom.run.told')).toHaveLength(1);
});
