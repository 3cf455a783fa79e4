import {
  chatStream,
  type FakeProvider,
  type FakeReply,
  json,
  refuse,
  type SeenCall,
  startFakeProvider,
} from '@millrace/models/testing';
import {
  createWorkflow,
  executeUrl,
  graph,
  shareTestApp,
  type TestApp,
  type TestUser,
} from '@millrace/server/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

/** One server in the place of the decision model and of the providers: paths tell them apart. */
let server: FakeProvider;
let decides: () => FakeReply;
let app: TestApp;
let owner: TestUser;
let friend: TestUser;
beforeAll(async () => {
  server = await startFakeProvider((call) =>
    isDecision(call) ? decides() : { chunks: chatStream(['Done']) },
  );
  app = await shareTestApp({ HTTP_ALLOW_PRIVATE_URLS: 'true' });
  [owner, friend] = [await app.user(), await app.user()];
});
beforeEach(() => {
  server.seen.length = 0;
  decides = () => chooses('careful');
});
afterAll(async () => {
  await app.close();
  server.stop();
});

const isDecision = ({ path }: SeenCall) => path === '/decide/v1/systemone';
const chooses = (choice: unknown): FakeReply =>
  json({ model: 'small', answers: { route: { type: 'choice', choice, confidence: 0.9 } }, usage: {} });

let count = 0;
async function credential(type: string, config: object): Promise<string> {
  const made = await owner.call('POST', '/api/credentials', { name: `cred-${++count}`, type, config });
  expect(made.statusCode, made.body).toBe(201);
  return made.json<{ id: string }>().id;
}

/** A router between two models; `fallback` marks the first option. */
async function router(fallback: boolean, timeout_seconds = 30): Promise<string> {
  const decision = await credential('decision', {
    base_url: `${server.url}/decide`,
    api_key: 'decide-key-1',
  });
  const model = (key: string) => credential('custom', { api_key: key, base_url: `${server.url}/v1` });
  return credential('model_router', {
    decision_credential_id: decision,
    decision_model: 'small',
    routing_instructions: 'Prefer the quick one',
    timeout_seconds,
    options: [
      {
        label: 'quick',
        credential_id: await model('quick-key-1'),
        model: 'mini',
        criteria: 'short questions',
        is_default: fallback,
      },
      {
        label: 'careful',
        credential_id: await model('careful-key-1'),
        model: 'large',
        criteria: 'everything else',
      },
    ],
  });
}

async function run(user: TestUser, credentialId: string, data: object = {}) {
  const content = graph(
    [
      ['start', 'textInput', { inputFields: [{ key: 'text' }] }],
      [
        'ask',
        'llm',
        {
          credentialId,
          model: 'Auto',
          systemInstruction: 'Be brief',
          userMessage: '$start.body.text',
          ...data,
        },
      ],
      ['out', 'output', { message: '$ask.text' }],
    ],
    ['start>ask', 'ask>out'],
  );
  const id = await createWorkflow(user, content);
  const answer = await user.call('POST', executeUrl(id), { text: 'Why is the sky blue?' });
  const run_id = String(answer.headers['x-execution-id']);
  const history = await user.call('GET', `/api/workflows/${id}/history/${run_id}`);
  const rows = history.json<{
    node_results: { node_label: string; metadata: object; error: string | null }[];
  }>();
  const row = rows.node_results.find(({ node_label }) => node_label === 'ask');
  return {
    answer: answer.json<{ status: string; outputs: object }>(),
    row,
    text: answer.body + history.body,
  };
}

describe('§3.5 model router', () => {
  it('§5.8: neither the decision model nor the model itself is sent the value of a credential', async () => {
    const secret = 'sk-never-sent-0123';
    await owner.call('POST', '/api/credentials', {
      name: 'HIDDEN',
      type: 'bearer',
      config: { bearer_token: secret },
    });
    const asked = {
      systemInstruction: '="Key " + $credentials.HIDDEN',
      userMessage: 'Is $credentials.HIDDEN good?',
    };
    const { answer } = await run(owner, await router(true), asked);
    expect(answer.status).toBe('success');
    const bodies = server.seen.map(({ body }) => JSON.stringify(body));
    expect(bodies).toHaveLength(2);
    for (const body of bodies) {
      expect(body).toContain('sk-neve**');
      expect(body).not.toContain(secret);
    }
  });

  it('§2.7 asks the decision model with the free text of each option and uses the option that it chooses', async () => {
    const id = await router(true);
    const { answer, row } = await run(owner, id);
    expect(answer).toMatchObject({ status: 'success', outputs: { out: { result: 'Done' } } });
    const [decision, call] = server.seen;
    expect(decision).toMatchObject({
      method: 'POST',
      headers: { authorization: 'Bearer decide-key-1' },
      body: {
        model: 'small',
        state: { system: 'Be brief', message: 'Why is the sky blue?', tools: [] },
        questions: {
          route: {
            type: 'choice',
            instructions: 'Prefer the quick one',
            criteria: { quick: 'short questions', careful: 'everything else' },
          },
        },
      },
    });
    expect(call).toMatchObject({
      headers: { authorization: 'Bearer careful-key-1' },
      body: { model: 'large' },
    });
    expect(row?.metadata).toMatchObject({
      model_routing: {
        routerCredentialId: id,
        calls: [{ model: 'large', option: 'careful', fallback: false, error: null }],
      },
    });
  });

  it.each<[string, () => FakeReply, RegExp, timeout_seconds?: number]>([
    ['the decision model refuses', () => refuse(422, { detail: 'bad state' }), /status 422\): bad state$/],
    ['the decision model is overloaded', () => refuse(529, {}), /is overloaded \(status 529\)$/],
    [
      'it chooses what is no option',
      () => chooses('none of these'),
      /"none of these", which is not an option$/,
    ],
    ['it chooses nothing', () => chooses(null), /chose nothing$/],
    ['it answers with no JSON', () => ({ chunks: ['<html></html>'] }), /cannot be read; check the address$/],
    ['it does not answer in time', () => ({ chunks: [], end: 'hang' }), /within 1 s$/, 1],
  ])(
    '§3.5 when %s, the marked fallback is used and the reason is recorded on the run',
    async (_, reply, reason, timeout_seconds) => {
      decides = reply;
      const { answer, row } = await run(owner, await router(true, timeout_seconds));
      expect(answer).toMatchObject({ status: 'success', outputs: { out: { result: 'Done' } } });
      expect(server.seen.at(-1)?.body).toMatchObject({ model: 'mini' });
      expect(row?.metadata).toMatchObject({
        model_routing: {
          calls: [{ model: 'mini', option: 'quick', fallback: true, error: expect.stringMatching(reason) }],
        },
      });
    },
  );

  it('§3.5 with no fallback, the node fails', async () => {
    decides = () => refuse(401, { error: { message: 'bad key decide-key-1' } });
    const { answer, row, text } = await run(owner, await router(false));
    expect(answer.status).toBe('error');
    expect(row?.error).toMatch(
      /^LLM error: The model router ".*" could not choose a model: .*refused the credential/,
    );
    expect(server.seen.every(isDecision)).toBe(true);
    expect(text).not.toContain('decide-key-1');
  });

  it('§2.7 a router that is shared is used with all of its options, which the user cannot use alone', async () => {
    const id = await router(true);
    const shared = await owner.call('POST', `/api/credentials/${id}/shares`, { email: friend.email });
    expect(shared.statusCode, shared.body).toBeLessThan(300);
    expect((await run(friend, id)).answer.status).toBe('success');
    const config = (await owner.call('GET', `/api/credentials/${id}/model-router`)).json<{
      options: { credential_id: string }[];
    }>();
    const option = config.options[0]?.credential_id ?? '';
    const alone = await run(friend, option, { model: 'mini' });
    expect(alone.row?.error).toBe('LLM error: The credential does not exist or is not shared with you');
  });

  it('§2.7 its only model is Auto', async () => {
    const { row } = await run(owner, await router(true), { model: 'mini' });
    expect(row?.error).toContain('must be Auto, the only model of a router');
    expect(server.seen).toEqual([]);
  });

  it.each([
    ['the Responses API', { responsesApiEnabled: true }],
    ['batch mode', { batchModeEnabled: true }],
    ['images as answers', { outputType: 'image' }],
  ])('§8.4 Auto cannot be combined with %s: the node fails and nothing is asked', async (excluded, data) => {
    const { answer, row } = await run(owner, await router(true), data);
    expect(answer.status).toBe('error');
    expect(row?.error).toContain(`cannot be Auto with ${excluded}`);
    expect(server.seen).toEqual([]);
  });

  it('lists Auto as the choice of the node for a router', async () => {
    const id = await router(true);
    const listed = await owner.call('POST', `/api/credentials/${id}/choices`, {
      node_type: 'llm',
      list: 'models',
    });
    expect(listed.json()).toEqual({ items: [{ value: 'Auto', label: 'Auto' }], next_cursor: null });
  });
});
