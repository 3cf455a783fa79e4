import type { JsonObject } from '@millrace/engine';
import { beforeAll, expect, test } from 'vitest';
import type { TestApp, TestUser } from '../../testing/test-app.ts';

/** One call of the address. */
export interface TestDelivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The subject of the suite of webhook triggers. */
export interface WebhookSubject {
  readonly apps: () => readonly TestApp[];
  readonly user: () => TestUser;
  readonly route: string;
  readonly type: string;
  readonly credential: { readonly type: string; readonly config: JsonObject };
  /** Literals of §6.2 and §6.3. */
  readonly triggered_by: string;
  /** A delivery as the platform signs it, of an event with that name. */
  readonly deliver: (name: string, now_ms: number) => TestDelivery;
  /** The input that the run must hold for it, beside headers and what names the trigger. */
  readonly buildExpectedInput: (name: string) => JsonObject;
  readonly accepted: JsonObject;
  /** Deliveries that prove nothing, with the status that they get. */
  readonly refused: (
    now_ms: number,
  ) => readonly (readonly [what: string, delivery: TestDelivery, status: number])[];
  /** Questions that are answered without a run. */
  readonly handshakes: (now_ms: number) => readonly (readonly [TestDelivery, JsonObject])[];
  /** Texts that must not be stored. */
  readonly secrets: readonly string[];
}

/** The rules for every webhook trigger: verified before anything else, durable before it is answered, one run per event. */
export function webhookConformance(subject: WebhookSubject): void {
  const { apps, user, route, type, credential, deliver } = subject;
  const node_id = `${type}-node`;
  let workflow_id = '';
  let node_data: JsonObject = {};
  const [first, second] = [() => apps()[0] as TestApp, () => apps()[1] as TestApp];

  beforeAll(async () => {
    const made = await user().call('POST', '/api/credentials', { name: `c-${type}`, ...credential });
    const { id: credentialId } = made.json<{ id: string }>();
    node_data = { label: 'in', credentialId };
    const node = { id: node_id, type, position: { x: 0, y: 0 }, data: node_data };
    const saved = await user().call('POST', '/api/workflows', { name: type, nodes: [node], edges: [] });
    workflow_id = saved.json<{ id: string }>().id;
  });

  const post = (app: TestApp, { headers, body }: TestDelivery, node = node_id) =>
    app.app.inject({
      method: 'POST',
      url: `/api/${route}/webhook/${node}`,
      headers: { 'content-type': 'application/json', ...headers },
      payload: body,
    });
  const queryRows = async (text: string) =>
    (await first().services.database.sql.query({ text, values: [workflow_id] })).rows;
  const runs = () =>
    queryRows('SELECT id, input, trigger_source FROM runs WHERE workflow_id = $1 ORDER BY id');
  const now = () => first().clock.now;

  test('§5.7, §6.2, §6.3: a verified delivery starts one run with its input and label, stored before the answer', async () => {
    const before = (await runs()).length;
    const answer = await post(first(), deliver('one', now()));
    const stored = await runs();
    expect([answer.statusCode, answer.json()]).toEqual([200, subject.accepted]);
    expect(stored).toHaveLength(before + 1);
    expect(stored.at(-1)?.['trigger_source']).toBe(subject.triggered_by);
    expect(JSON.parse(String(stored.at(-1)?.['input']))).toMatchObject({
      ...subject.buildExpectedInput('one'),
      triggered_by: subject.triggered_by,
      trigger_node_id: node_id,
    });
  });

  test('the same event starts one run, however often and wherever it is delivered, and its repetitions are counted', async () => {
    const before = (await runs()).length;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => post(at % 2 === 0 ? first() : second(), deliver('again', now()))),
    );
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    expect(await runs()).toHaveLength(before + 1);
    const causes = await queryRows(
      'SELECT repeats FROM trigger_causes WHERE workflow_id = $1 AND repeats > 0',
    );
    expect(causes).toEqual([{ repeats: 9 }]);
  });

  test('§5.7: what is not verified is refused and stores nothing', async () => {
    const before = (await runs()).length;
    for (const [what, delivery, status] of subject.refused(now()))
      expect([what, (await post(first(), delivery)).statusCode]).toEqual([what, status]);
    expect(await runs()).toHaveLength(before);
  });

  test('§5.7: questions of the platform are answered without a run', async () => {
    const before = (await runs()).length;
    for (const [delivery, expected] of subject.handshakes(now())) {
      const answer = await post(first(), delivery);
      expect([answer.statusCode, answer.json()]).toEqual([200, expected]);
    }
    expect(await runs()).toHaveLength(before);
  });

  test('§6.2: headers are sanitized, and no secret is stored', async () => {
    await post(first(), deliver('secret', now()));
    const text = JSON.stringify([
      await runs(),
      await queryRows('SELECT cause FROM trigger_causes WHERE workflow_id = $1'),
    ]);
    for (const secret of subject.secrets) expect(text).not.toContain(secret);
    expect(text).toContain('content-type');
    for (const name of ['signature', 'secret-token', 'authorization']) expect(text).not.toContain(name);
  });

  test('§4.3: an unknown node, and one that is switched off, are not found', async () => {
    expect((await post(first(), deliver('x', now()), 'nowhere')).statusCode).toBe(404);
    const before = (await runs()).length;
    const save = (data: JsonObject) => {
      const node = { id: node_id, type, position: { x: 0, y: 0 }, data: { ...node_data, ...data } };
      return user().call('PUT', `/api/workflows/${workflow_id}`, { nodes: [node], edges: [] });
    };
    expect((await save({ active: false })).statusCode).toBe(200);
    expect((await post(first(), deliver('off', now()))).statusCode).toBe(404);
    expect(await runs()).toHaveLength(before);
    await save({});
    expect((await post(first(), deliver('on again', now()))).statusCode).toBe(200);
  });
}
