import type { JsonObject } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import { realEgress } from '../testing/real-egress.ts';
import { traceNode } from '../testing/run-node.ts';
import { type SeenRequest, type ServerAnswer, serveJson } from '../testing/servers/json-server.ts';

const KEY = 'canary-key-0123';
const ANSWER = {
  model: 'small',
  answers: { urgent: { type: 'noul', noul: 0.98 } },
  usage: { input_tokens: 20, output_tokens: 1 },
};
const QUESTION = { id: 'urgent', type: 'noul', instructions: 'Is it urgent?' };

async function ask(
  data: JsonObject,
  reply: (request: SeenRequest) => ServerAnswer = () => ({ body: ANSWER }),
  values: JsonObject = { api_key: KEY },
) {
  const server = await serveJson(reply);
  const { result, trace } = await traceNode(
    'decision',
    { credentialId: 'd', model: 'small', state: '$input.text', questions: [QUESTION], ...data },
    {
      inputs: { start: { text: 'Down!', order: { total: 3 } } },
      credentials: { d: { type: 'decision', values: { base_url: `${server.url}/`, ...values } } },
      services: { http: realEgress() },
    },
  );
  return { result, trace, seen: server.seen };
}

const getFailure = (result: object) => ('failure' in result ? result.failure : result) as JsonObject;

test('the answers are those of the decision model, unchanged, as one step', async () => {
  const { result, trace, seen } = await ask({});
  expect(result).toEqual({ output: ANSWER });
  expect(trace.steps).toEqual(['call']);
  expect(seen).toMatchObject([
    {
      method: 'POST',
      path: '/v1/systemone',
      headers: { authorization: `Bearer ${KEY}` },
      body: {
        model: 'small',
        state: 'Down!',
        questions: { urgent: { type: 'noul', instructions: 'Is it urgent?' } },
      },
    },
  ]);
});

test('a decision model without a key is asked without one', async () => {
  const { seen } = await ask({}, undefined, {});
  expect(seen[0]?.headers).not.toHaveProperty('authorization');
});

test('each kind of question is sent with its own criteria, by its id', async () => {
  const questions = [
    { ...QUESTION, criteriaTrue: 'today', criteriaFalse: 'later' },
    {
      id: 'team',
      type: 'choice',
      instructions: 'Whose?',
      options: [
        { key: 'sales', description: 'prices' },
        { key: 'support', description: 'faults' },
      ],
    },
    { id: 'mood', type: 'score', instructions: 'How angry?', levels: ['calm', 'angry'] },
  ];
  const { seen } = await ask({ state: '$input.order', questions });
  expect(seen[0]?.body).toEqual({
    model: 'small',
    state: { total: 3 },
    questions: {
      urgent: {
        type: 'noul',
        instructions: 'Is it urgent?',
        criteria: { true: 'today', false: 'later' },
      },
      team: { type: 'choice', instructions: 'Whose?', criteria: { sales: 'prices', support: 'faults' } },
      mood: { type: 'score', instructions: 'How angry?', levels: ['calm', 'angry'] },
    },
  });
});

test('a custom body is sent as it is, whatever the other fields hold', async () => {
  const { seen } = await ask({
    model: '',
    questions: [],
    customBodyEnabled: true,
    customBody: '{"model": "large", "n": $input.order.total}',
  });
  expect(seen[0]?.body).toEqual({ model: 'large', n: 3 });
});

test('a limit is waited for as long as the decision model says', async () => {
  let count = 0;
  const { result, trace } = await ask({}, () =>
    count++ === 0 ? { status: 429, headers: { 'retry-after': '2' }, body: {} } : { body: ANSWER },
  );
  expect(result).toEqual({ output: ANSWER });
  expect(trace.slept_until).toHaveLength(1);
});

test.each([
  [401, 'Decision model refused the credential; test it on the credentials page: no key **'],
  [422, 'Decision model rejected the request (status 422): no key **'],
])('status %i fails in plain words and without the key', async (status, message) => {
  const { result } = await ask({}, () => ({ status, body: { detail: `no key ${KEY}` } }));
  expect(getFailure(result)['message']).toBe(message);
});

test('an answer without answers fails', async () => {
  const { result } = await ask({}, () => ({ body: { ok: true } }));
  expect(getFailure(result)['message']).toContain('returned an answer that cannot be read');
});

describe('before anything is sent', () => {
  test.each<[string, JsonObject, string]>([
    ['no question', { questions: [] }, 'questions'],
    ['questions that are no list', { questions: '{"a": 1}' }, 'questions'],
    ['an id that is used twice', { questions: [QUESTION, QUESTION] }, 'questions.1.id'],
    ['an empty id', { questions: [{ ...QUESTION, id: ' ' }] }, 'questions.0.id'],
    ['an id that reaches a prototype', { questions: [{ ...QUESTION, id: 'constructor' }] }, 'questions.0.id'],
    ['an unknown type', { questions: [{ ...QUESTION, type: 'essay' }] }, 'questions.0.type'],
    [
      'a choice of one',
      { questions: [{ ...QUESTION, type: 'choice', options: [{ key: 'a' }] }] },
      'questions.0.options',
    ],
    [
      'a scale of one level',
      { questions: [{ ...QUESTION, type: 'score', levels: ['a'] }] },
      'questions.0.levels',
    ],
    ['no model', { model: '' }, 'model'],
    ['no credential', { credentialId: '' }, 'credentialId'],
    ['a custom body that is a list', { customBodyEnabled: true, customBody: '[1]' }, 'customBody'],
  ])('%s is named', async (_, data, field) => {
    const { result, seen } = await ask(data);
    expect(getFailure(result)).toMatchObject({ kind: 'params', field });
    expect(seen).toEqual([]);
  });

  test('a credential of another type is named', async () => {
    const { result } = await traceNode(
      'decision',
      { credentialId: 'd', model: 'small', questions: [QUESTION] },
      { credentials: { d: { type: 'openai', values: { api_key: KEY } } } },
    );
    expect(getFailure(result)['message']).toBe(
      'The credential is of type openai; choose one of a decision model',
    );
  });
});
