import { type JsonObject, problems } from '@millrace/engine';
import {
  chatStream,
  type FakeProvider,
  type FakeReply,
  json,
  refuse,
  type SeenCall,
  startFakeProvider,
} from '@millrace/models/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { catalog } from '../catalog.ts';
import type { Egress } from '../services.ts';
import { realEgress } from '../testing/real-egress.ts';
import { type Situation, traceNode } from '../testing/run-node.ts';
import { runWorkflow } from '../testing/run-workflow.ts';

const running: FakeProvider[] = [];
afterEach(() => {
  for (const server of running.splice(0)) server.stop();
});

const says = (text: string): FakeReply => ({ chunks: chatStream([text]) });
const isModeration = ({ path }: SeenCall) => path === '/v1/moderations';
const isGuard = ({ body }: SeenCall) => body?.['model'] === 'guard';

/** A moderation as OpenAI documents it; `scores` are those of flagged categories, from 0.5. */
const moderation = (scores: Readonly<Record<string, number>>): FakeReply => {
  const all: Record<string, number> = {};
  for (const category of [
    'harassment',
    'harassment/threatening',
    'hate',
    'hate/threatening',
    'illicit',
    'illicit/violent',
    'self-harm',
    'self-harm/intent',
    'self-harm/instructions',
    'sexual',
    'sexual/minors',
    'violence',
    'violence/graphic',
  ]) {
    all[category] = scores[category] ?? 0.001;
  }
  const flags = Object.fromEntries(Object.entries(all).map(([name, score]) => [name, score >= 0.5]));
  return json({
    id: 'modr-1',
    model: 'omni-moderation-latest',
    results: [{ flagged: Object.values(flags).includes(true), categories: flags, category_scores: all }],
  });
};

interface Replies {
  readonly rated?: JsonObject | FakeReply;
  readonly moderated?: FakeReply;
}

const isReply = (value: object): value is FakeReply => 'chunks' in value;

/** A provider of a moderation, of the model `guard` that rates, and of models that answer "Hi". */
async function serve({ rated = {}, moderated = moderation({}) }: Replies): Promise<FakeProvider> {
  const server = await startFakeProvider((call) => {
    if (isModeration(call)) return moderated;
    if (!isGuard(call)) return says('Hi');
    return isReply(rated) ? rated : says(JSON.stringify(rated));
  });
  running.push(server);
  return server;
}

/** The address of OpenAI leads to the server. */
function egressTo(server: FakeProvider): Egress {
  const http = realEgress();
  return {
    ...http,
    request: (request) =>
      http.request({ ...request, url: request.url.replace('https://api.openai.com', server.url) }),
  };
}

const GUARDED = {
  credentialId: 'c',
  model: 'm1',
  userMessage: 'Hello',
  guardrailsEnabled: true,
  guardrailsCategories: ['violence', 'prompt_injection'],
  guardrailCredentialId: 'guarding',
  guardrailModel: 'guard',
};
const HARMLESS = { violence: 'none', prompt_injection: 'none' };

const buildCredentials = (server: FakeProvider, guarding: 'custom' | 'openai') => {
  const custom = { type: 'custom', values: { api_key: 'k', base_url: `${server.url}/v1` } };
  const openai = { type: 'openai', values: { api_key: 'guard-key-0123' } };
  return { c: custom, guarding: guarding === 'openai' ? openai : custom };
};

async function ask(
  data: JsonObject,
  replies: Replies,
  { guarding = 'custom', ...more }: Situation & { guarding?: 'custom' | 'openai' } = {},
) {
  const server = await serve(replies);
  const { result, trace } = await traceNode(
    'llm',
    { ...GUARDED, ...data },
    { credentials: buildCredentials(server, guarding), services: { http: egressTo(server) }, ...more },
  );
  const answering = server.seen.filter((call) => !isModeration(call) && !isGuard(call));
  return { result, trace, seen: server.seen, answering };
}

const getFailure = (result: object) => ('failure' in result ? result.failure : result) as JsonObject;
const guardAsked = (seen: readonly SeenCall[]) =>
  seen.find(isGuard)?.body as { messages: JsonObject[]; response_format: JsonObject };

describe('guardrails', () => {
  test('let a harmless message through, checked as a step before the model is asked', async () => {
    const { result, trace, seen, answering } = await ask({}, { rated: HARMLESS });
    expect(result).toMatchObject({ output: { text: 'Hi' } });
    expect(trace.steps).toEqual(['guardrails', 'call']);
    expect(seen.map(({ body }) => body?.['model'])).toEqual(['guard', 'm1']);
    expect(answering).toHaveLength(1);
  });

  test('block a message, name the categories, and are never retried', async () => {
    const { result, answering } = await ask({}, { rated: { ...HARMLESS, prompt_injection: 'high' } });
    expect(getFailure(result)).toEqual({
      kind: 'thrown',
      message: 'Guardrail violation: message blocked (prompt_injection)',
      final: true,
      details: { guardrail_violated_categories: ['prompt_injection'] },
    });
    expect(answering).toEqual([]);
  });

  test('do not ask the fallback model about a blocked message', async () => {
    const { answering } = await ask({ fallbackModel: 'm2' }, { rated: { ...HARMLESS, violence: 'high' } });
    expect(answering).toEqual([]);
  });

  test.each<[severity: string, blocked: string[]]>([
    ['low', ['low', 'medium', 'high']],
    ['medium', ['medium', 'high']],
    ['high', ['high']],
  ])('of severity %s block ratings from %j on', async (guardrailsSeverity, blocked) => {
    const found: string[] = [];
    for (const violence of ['none', 'low', 'medium', 'high']) {
      const { result } = await ask({ guardrailsSeverity }, { rated: { ...HARMLESS, violence } });
      if ('failure' in result) found.push(violence);
    }
    expect(found).toEqual(blocked);
  });

  test('send the first 2,000 characters as data, with the categories that are chosen', async () => {
    const userMessage = `${'😀'.repeat(1_999)}"end`;
    const { seen } = await ask({ userMessage }, { rated: HARMLESS });
    const { messages, response_format } = guardAsked(seen);
    expect(messages.at(-1)).toEqual({ role: 'user', content: JSON.stringify(`${'😀'.repeat(1_999)}"`) });
    expect(response_format).toMatchObject({
      json_schema: { schema: { required: ['violence', 'prompt_injection'] } },
    });
  });

  test('check the texts of the inputs when the user message is empty', async () => {
    const { seen } = await ask(
      { userMessage: '' },
      { rated: HARMLESS },
      { inputs: { a: { text: 'one' }, b: 'two' } },
    );
    expect(guardAsked(seen).messages.at(-1)?.['content']).toBe('"one\\ntwo"');
  });

  test.each<[string, JsonObject]>([
    ['without categories', { guardrailsCategories: [], guardrailCredentialId: '', guardrailModel: '' }],
    ['that are switched off', { guardrailsEnabled: false }],
  ])('%s check nothing', async (_, data) => {
    const { result, trace } = await ask(data, {});
    expect(result).toMatchObject({ output: { text: 'Hi' } });
    expect(trace.steps).toEqual(['call']);
  });
});

describe('the moderation of OpenAI', () => {
  const openai = { guarding: 'openai' } as const;

  test('gets the text with the key of the credential, beside the model', async () => {
    const { result, seen } = await ask({}, { rated: HARMLESS }, openai);
    expect(result).toMatchObject({ output: { text: 'Hi' } });
    expect(seen.find(isModeration)).toMatchObject({
      method: 'POST',
      headers: { authorization: 'Bearer guard-key-0123', 'content-type': 'application/json' },
      body: { model: 'omni-moderation-latest', input: 'Hello' },
    });
    expect(seen.some(isGuard)).toBe(true);
  });

  test.each<[severity: string, score: number, isBlocked: boolean]>([
    ['low', 0.1, false],
    ['low', 0.3, true],
    ['medium', 0.3, false],
    ['medium', 0.6, true],
    ['high', 0.6, false],
    ['high', 0.9, true],
  ])('of severity %s with a score of %d blocks: %s', async (guardrailsSeverity, score, isBlocked) => {
    const moderated = moderation({ 'violence/graphic': score });
    const { result } = await ask({ guardrailsSeverity }, { rated: HARMLESS, moderated }, openai);
    expect('failure' in result).toBe(isBlocked);
  });

  test('counts for chosen categories only, joined with what the model finds', async () => {
    const { result } = await ask(
      { guardrailsCategories: ['prompt_injection', 'self_harm', 'illegal_activity'] },
      {
        rated: { prompt_injection: 'high', self_harm: 'none', illegal_activity: 'none' },
        moderated: moderation({ violence: 0.9, 'self-harm/intent': 0.9 }),
      },
      openai,
    );
    expect(getFailure(result)['details']).toEqual({
      guardrail_violated_categories: ['prompt_injection', 'self_harm'],
    });
  });

  test('is not asked about categories that it does not know', async () => {
    const { seen } = await ask(
      { guardrailsCategories: ['spam_phishing'] },
      { rated: { spam_phishing: 'none' } },
      openai,
    );
    expect(seen.some(isModeration)).toBe(false);
  });

  test('blocks although the model cannot be asked', async () => {
    const { result } = await ask(
      {},
      { rated: refuse(400, { error: { message: 'no' } }), moderated: moderation({ violence: 0.9 }) },
      openai,
    );
    expect(getFailure(result)['details']).toEqual({ guardrail_violated_categories: ['violence'] });
  });
});

describe('a check that fails', () => {
  const broken = refuse(400, { error: { message: 'no such model' } });

  test.each<[string, Replies, 'custom' | 'openai', string]>([
    ['a refusal of the model', { rated: broken }, 'custom', 'no such model'],
    ['an answer without JSON', { rated: says('I would rather not') }, 'custom', 'did not rate "Violence"'],
    ['a category that is not rated', { rated: { violence: 'none' } }, 'custom', '"Prompt injection"'],
    ['an unknown rating', { rated: { ...HARMLESS, violence: 'maybe' } }, 'custom', '"Violence"'],
    ['a refusal of the moderation', { rated: HARMLESS, moderated: broken }, 'openai', 'no such model'],
    [
      'a moderation without a result',
      { rated: HARMLESS, moderated: json({ results: [] }) },
      'openai',
      'a moderation that cannot be read',
    ],
    [
      'a moderation without scores',
      { rated: HARMLESS, moderated: json({ results: [{ categories: { violence: false } }] }) },
      'openai',
      'a moderation that cannot be read',
    ],
  ])('blocks the message: %s', async (_, replies, guarding, words) => {
    const { result, answering } = await ask({ fallbackModel: 'm2' }, replies, { guarding });
    const { message, details } = getFailure(result);
    expect(message).toMatch(/^LLM error: the guardrails could not check the message: /);
    expect(message).toContain(words);
    expect(details ?? {}).not.toHaveProperty('guardrail_violated_categories');
    expect(answering).toEqual([]);
  });

  test('names its own credential', async () => {
    const { result, answering } = await ask({}, { rated: refuse(401, {}) });
    expect(getFailure(result)).toMatchObject({ kind: 'credential', field: 'guardrailCredentialId' });
    expect(answering).toEqual([]);
  });

  test('names a model router, which cannot check', async () => {
    const { result, seen } = await ask(
      {},
      {},
      { credentials: { c: { type: 'custom', values: {} }, guarding: { type: 'model_router', values: {} } } },
    );
    expect(getFailure(result)).toMatchObject({ kind: 'credential', field: 'guardrailCredentialId' });
    expect(seen).toEqual([]);
  });
});

describe('guardrails that are not complete', () => {
  const cases: [string, JsonObject, string][] = [
    ['no credential', { guardrailCredentialId: '' }, 'guardrailCredentialId'],
    ['no model', { guardrailModel: ' ' }, 'guardrailModel'],
    ['Auto as model', { guardrailModel: 'Auto' }, 'guardrailModel'],
    ['an unknown category', { guardrailsCategories: ['rudeness'] }, 'guardrailsCategories.0'],
    ['an unknown severity', { guardrailsSeverity: 'extreme' }, 'guardrailsSeverity'],
  ];

  test.each(cases)('are refused before anything is sent: %s', async (_, data, field) => {
    const { result, seen } = await ask(data, {});
    expect(getFailure(result)).toMatchObject({ kind: 'params', field });
    expect(seen).toEqual([]);
  });

  test.each(cases)('are refused when an expression switches them on: %s', async (_, data, field) => {
    const { result, seen } = await ask(
      { ...data, guardrailsEnabled: '$input.guarded' },
      {},
      { inputs: { start: { guarded: true } } },
    );
    expect(getFailure(result)).toMatchObject({ kind: 'params', field: field.split('.')[0] });
    expect(seen).toEqual([]);
  });

  test.each(cases)('are a problem of the stored node: %s', (_, data, field) => {
    const node = (type: string) => ({
      id: type,
      type,
      position: { x: 0, y: 0 },
      data: { ...GUARDED, label: type, ...data },
    });
    const found = problems({ nodes: [node('llm'), node('agent')], edges: [] }, catalog);
    const errors = found.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ node_id, field: named }) => [node_id, named])).toEqual([
      ['llm', field],
      ['agent', field],
    ]);
  });
});

test('a blocked message takes the error branch at the first attempt, with its categories', async () => {
  const server = await serve({ rated: { ...HARMLESS, violence: 'high' } });
  const run = await runWorkflow(
    'start -> ask -> after\nask:error -> refused',
    {
      start: { type: 'textInput' },
      ask: { type: 'llm', ...GUARDED, retryEnabled: true, retryMaxAttempts: 3, onErrorEnabled: true },
      after: { type: 'set' },
      refused: { type: 'set', mappings: [{ key: 'why', value: '$ask.guardrail_violated_categories' }] },
    },
    { credentials: buildCredentials(server, 'custom'), services: { http: egressTo(server) } },
  );
  expect(run.statuses).toMatchObject({ after: 'skipped', refused: 'success' });
  expect(run.output['refused']).toEqual({ why: ['violence'] });
  expect(server.seen).toHaveLength(1);
});
