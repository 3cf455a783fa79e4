import type { Json, JsonObject } from '@millrace/engine';
import {
  type BatchScript,
  type FakeProvider,
  type FakeReply,
  fakeBatches,
  refuse,
  type SeenCall,
  startFakeProvider,
} from '@millrace/models/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { realEgress } from '../testing/real-egress.ts';
import { type Situation, TEST_NOW, traceNode } from '../testing/run-node.ts';

const HOUR_MS = 3_600_000;
const running: FakeProvider[] = [];
afterEach(() => {
  for (const server of running.splice(0)) server.stop();
});

interface Asking {
  readonly script?: BatchScript;
  /** Answers in the place of the provider. */
  readonly before?: (call: SeenCall) => FakeReply | undefined;
  readonly list?: Json;
  readonly type?: string;
  readonly more?: Situation;
}

async function ask(data: JsonObject = {}, asking: Asking = {}) {
  const { script, before, list = ['one', 2, true], type = 'custom', more = {} } = asking;
  const batches = fakeBatches(script);
  const server = await startFakeProvider((call) => before?.(call) ?? batches.reply(call));
  running.push(server);
  const values = { api_key: 'canary-key-0123', base_url: `${server.url}/v1` };
  const { result, trace } = await traceNode(
    'llm',
    {
      credentialId: 'c',
      model: 'm1',
      batchModeEnabled: true,
      userMessage: '$input.list',
      ...data,
    },
    {
      inputs: { start: { list } },
      credentials: { c: { type, values } },
      ...more,
      services: { http: realEgress(), ...more.services },
    },
  );
  return { result, trace, batches, seen: server.seen };
}

const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
const answered = (index: number, text: string) => ({
  index,
  customId: `item-${index}`,
  status: 'completed',
  statusCode: 200,
  text,
  error: null,
  usage,
});

describe('a batch', () => {
  test('answers every item in order, and is read until it has ended', async () => {
    const script = { statuses: ['in_progress', 'finalizing', 'completed'] };
    const { result, trace, batches } = await ask({ systemInstruction: 'Be brief' }, { script });
    expect(result).toEqual({
      output: {
        text: 'Re: one\nRe: 2\nRe: true',
        batchId: 'batch_1',
        status: 'completed',
        rawStatus: 'completed',
        requestCounts: { total: 3, completed: 3, failed: 0 },
        total: 3,
        completed: 3,
        failed: 0,
        usage: { prompt_tokens: 30, completion_tokens: 6, total_tokens: 36 },
        results: [answered(0, 'Re: one'), answered(1, 'Re: 2'), answered(2, 'Re: true')],
        model: 'm1',
      },
    });
    expect(trace.steps).toEqual(['upload', 'start', 'read-1', 'read-2', 'read-3', 'results']);
    expect(batches.made[0]?.questions[1]).toMatchObject({
      custom_id: 'item-1',
      body: {
        model: 'm1',
        temperature: 0.7,
        messages: [
          { role: 'system', content: 'Be brief' },
          { role: 'user', content: '2' },
        ],
      },
    });
    expect(trace.model_calls).toMatchObject([{ call: { request_type: 'batch', model: 'm1' } }]);
  });

  test('shows how far it is while the run waits', async () => {
    const { result } = await ask({}, { more: { decisions: 'none' } });
    expect(result).toMatchObject({
      suspension: {
        key: 'wait-1',
        kind: 'batch',
        due_at: TEST_NOW + 6_000,
        payload: {
          batchId: 'batch_1',
          status: 'pending',
          batchStatus: 'pending',
          rawStatus: 'validating',
          requestCounts: { total: 3, completed: 0, failed: 0 },
          provider: 'custom',
          model: 'm1',
          timestamp: new Date(TEST_NOW).toISOString(),
        },
      },
    });
  });

  test('has items that fail beside those that are answered', async () => {
    const answer = ({ messages }: JsonObject | Record<string, unknown>) =>
      JSON.stringify(messages).includes('bad') ? { status: 400, message: 'too long' } : 'fine';
    const { result } = await ask({}, { script: { answer }, list: ['bad', 'good'] });
    expect(result).toMatchObject({
      output: {
        text: 'fine',
        status: 'completed',
        requestCounts: { total: 2, completed: 1, failed: 1 },
        results: [
          { index: 0, status: 'failed', statusCode: 400, text: '', error: 'too long' },
          { index: 1, status: 'completed', text: 'fine' },
        ],
      },
    });
  });

  test('that has expired keeps the answers that it has', async () => {
    const answer = ({ messages }: Record<string, unknown>) =>
      JSON.stringify(messages).includes('late') ? undefined : 'in time';
    const script = { statuses: ['in_progress', 'expired'], answer };
    const { result } = await ask({}, { script, list: ['early', 'late'] });
    expect(result).toMatchObject({
      output: {
        status: 'failed',
        rawStatus: 'expired',
        failed: 1,
        results: [
          { text: 'in time' },
          { status: 'failed', error: 'The provider has no answer to this item' },
        ],
      },
    });
  });

  test('of JSON has the values, and an item that is no JSON has failed', async () => {
    const answer = ({ messages }: Record<string, unknown>) =>
      JSON.stringify(messages).includes('odd') ? 'I would rather not' : '{"mood": "glad"}';
    const { result, batches } = await ask(
      { jsonOutputEnabled: true },
      { script: { answer }, list: ['a', 'odd'] },
    );
    expect(result).toMatchObject({
      output: {
        completed: 1,
        parsedResults: [{ mood: 'glad' }, null],
        results: [
          { status: 'completed', parsed: { mood: 'glad' } },
          { status: 'failed', error: expect.stringMatching(/^LLM JSON parse error: /) },
        ],
      },
    });
    expect(batches.made[0]?.questions[0]?.body).toMatchObject({ response_format: { type: 'json_object' } });
  });

  test('survives that its provider is down for a while', async () => {
    let reads = 0;
    const { result, trace } = await ask(
      {},
      {
        before: ({ path }) =>
          /\/batches\/batch/.test(path) && ++reads <= 4 ? refuse(503, { error: 'away' }) : undefined,
      },
    );
    expect(result).toMatchObject({ output: { status: 'completed' } });
    expect(trace.steps).toEqual(['upload', 'start', 'read-1', 'read-2', 'read-3', 'results']);
  });
});

describe('no answer of a batch', () => {
  test('because its provider has refused it', async () => {
    const script = { statuses: ['failed'], problem: 'line 1 is not valid' };
    const { result } = await ask({}, { script });
    expect(result).toMatchObject({
      failure: {
        message: 'LLM error: the batch batch_1 ended without answers (failed): line 1 is not valid',
        details: { batchId: 'batch_1' },
      },
    });
  });

  test('because it never ends', async () => {
    let now = TEST_NOW;
    const { result } = await ask(
      {},
      { script: { statuses: ['in_progress'] }, more: { services: { now: () => (now += HOUR_MS) } } },
    );
    expect(result).toMatchObject({
      failure: {
        kind: 'timeout',
        message:
          'LLM error: the batch batch_1 has not ended within 25 hours; its last status was in_progress',
      },
    });
  });

  test.each<[string, JsonObject, Asking, string]>([
    ['a text', {}, { list: 'one question' }, 'userMessage'],
    ['a list without batch mode', { batchModeEnabled: false }, {}, 'userMessage'],
    ['an empty list', {}, { list: [] }, 'userMessage'],
    ['an object in the list', {}, { list: ['a', { b: 1 }] }, 'userMessage'],
    ['an empty text in the list', {}, { list: [' '] }, 'userMessage'],
    ['the Responses API', { responsesApiEnabled: true }, {}, 'batchModeEnabled'],
    ['a provider without batches', {}, { type: 'anthropic' }, 'credentialId'],
  ])('because of %s, before anything is sent', async (_, data, asking, field) => {
    const { result, seen } = await ask(data, asking);
    expect(result).toMatchObject({ failure: { kind: 'params', field } });
    expect(seen).toEqual([]);
  });

  test('because a guardrail blocks one of the messages', async () => {
    const rated = (text: string): FakeReply => ({
      chunks: [
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text }, finish_reason: 'stop' }] })}\n\n`,
        'data: [DONE]\n\n',
      ],
    });
    const { result, batches } = await ask(
      {
        guardrailsEnabled: true,
        guardrailsCategories: ['violence'],
        guardrailCredentialId: 'c',
        guardrailModel: 'guard',
      },
      {
        list: ['good', 'bad'],
        before: ({ path, text }) =>
          path.endsWith('/chat/completions')
            ? rated(`{"violence": "${text.includes('bad') ? 'high' : 'none'}"}`)
            : undefined,
      },
    );
    expect(result).toMatchObject({
      failure: { message: 'Guardrail violation: message blocked (violence)' },
    });
    expect(batches.made).toEqual([]);
  });
});
