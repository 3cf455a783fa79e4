import { NodeFailure } from '@millrace/engine';
import { afterEach, describe, expect, it } from 'vitest';
import { computeCost } from '../known/prices.ts';
import type { ModelCallNote } from '../model-call.ts';
import type { ModelProvider } from '../model-service.ts';
import {
  type FakeProvider,
  type FakeReply,
  messageStream,
  refuse,
  responseStream,
  type SeenCall,
  startFakeProvider,
} from '../testing/fake-provider.ts';
import { openTransport } from '../testing/open-transport.ts';
import { type CompletionRequest, complete } from './complete.ts';

const running: FakeProvider[] = [];
afterEach(() => {
  for (const server of running.splice(0)) server.stop();
});

const KEY = 'key-0123456789';
const REQUEST: CompletionRequest = {
  model: 'gpt-4.1',
  system: 'Be brief',
  messages: [{ role: 'user', text: 'Hello' }],
  responses_api: true,
  timeout_ms: 5_000,
};
const WEATHER = {
  name: 'weather',
  description: 'The weather of a town',
  input_schema: { type: 'object', properties: { town: { type: 'string' } }, required: ['town'] },
};

async function ask(
  reply: FakeReply | ((call: SeenCall, count: number) => FakeReply),
  request: Partial<CompletionRequest> = {},
  provider: ModelProvider = 'openai',
) {
  const server = await startFakeProvider(typeof reply === 'function' ? reply : () => reply);
  running.push(server);
  const notes: ModelCallNote[] = [];
  const asked = complete(
    {
      http: openTransport(),
      now: () => 0,
      sleepUntil: () => Promise.resolve(),
      signal: new AbortController().signal,
      max_wait_ms: 60_000,
      mask: (value) => value,
      onCall: (note) => notes.push(note),
    },
    {
      provider,
      title: 'The provider',
      service: { base_url: server.url, headers: { authorization: `Bearer ${KEY}` } },
      secrets: [KEY],
    },
    { ...REQUEST, ...request },
  );
  const result = await asked.then(
    (completion) => ({ completion, failure: undefined }),
    (error: unknown) => {
      if (!(error instanceof NodeFailure)) throw error;
      return { completion: undefined, failure: error.failure };
    },
  );
  return { ...result, seen: server.seen, notes };
}

describe.each<ModelProvider>(['openai', 'compatible'])('the Responses API of %s', (provider) => {
  it('answers with the text and the tokens, and keeps nothing at the provider', async () => {
    const { completion, seen } = await ask({ chunks: responseStream(['Hel', 'lo']) }, {}, provider);
    expect(completion).toEqual({
      text: 'Hello',
      usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
      is_cut: false,
      elapsed_ms: 0,
    });
    expect(seen).toMatchObject([
      { method: 'POST', path: '/responses', headers: { authorization: `Bearer ${KEY}` } },
    ]);
    expect(seen[0]?.body).toEqual({
      model: 'gpt-4.1',
      store: false,
      stream: true,
      input: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
      ],
    });
  });

  it('gets limits, formats and further fields under its own names', async () => {
    const schema = { type: 'object', properties: {}, additionalProperties: false };
    const { seen } = await ask(
      { chunks: responseStream(['{}']) },
      { max_tokens: 40, temperature: 0.2, json: { schema }, extra_body: { store: true } },
      provider,
    );
    expect(seen[0]?.body).toMatchObject({
      max_output_tokens: 40,
      temperature: 0.2,
      text: { format: { type: 'json_schema', name: 'output', strict: true, schema } },
      store: true,
    });
  });

  it('sends an effort in place of the temperature, and asks for thoughts that it can send back', async () => {
    const { seen } = await ask(
      { chunks: responseStream(['ok']) },
      { reasoning_effort: 'low', temperature: 0.2 },
      provider,
    );
    expect(seen[0]?.body).toMatchObject({
      reasoning: { effort: 'low' },
      include: ['reasoning.encrypted_content'],
    });
    expect(seen[0]?.body).not.toHaveProperty('temperature');
  });

  it('sends tools, thoughts and results back whole, with no reference to what the provider has kept', async () => {
    const tools = [WEATHER];
    const use = { id: 'call_1', name: 'weather', arguments: '{"town":"Rome"}' };
    const first = await ask(
      { chunks: responseStream(['One moment'], { thought: 'sealed', tools: [use] }) },
      { tools, reasoning_effort: 'low' },
      provider,
    );
    const { text = '', tool_calls = [], reasoning = [] } = first.completion ?? {};
    expect([text, tool_calls.length]).toEqual(['One moment', 1]);
    expect(first.seen[0]?.body?.['tools']).toMatchObject([
      { type: 'function', name: 'weather', parameters: WEATHER.input_schema },
    ]);
    const { completion, seen } = await ask(
      { chunks: responseStream(['Sunny']) },
      {
        tools,
        reasoning_effort: 'low',
        messages: [
          ...REQUEST.messages,
          { role: 'assistant', text, tool_calls, reasoning },
          { role: 'tool', results: [{ id: 'call_1', name: 'weather', text: 'sun', is_error: false }] },
        ],
      },
      provider,
    );
    expect(completion?.text).toBe('Sunny');
    const input = seen[0]?.body?.['input'] as object[];
    expect(input.slice(2)).toMatchObject([
      { type: 'reasoning', encrypted_content: 'sealed' },
      { role: 'assistant', content: [{ type: 'output_text', text: 'One moment' }] },
      { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"town":"Rome"}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'sun' },
    ]);
    expect(JSON.stringify(input)).not.toContain('item_reference');
  });

  it('counts tokens of the cache, which cost less', async () => {
    const told = { usage: [1_000, 0] as const, cached: 800 };
    const { completion, notes } = await ask({ chunks: responseStream(['ok'], told) }, {}, provider);
    const usage = { prompt_tokens: 1_000, completion_tokens: 0, total_tokens: 1_000, cached_tokens: 800 };
    expect(completion?.usage).toEqual(usage);
    expect(notes[0]?.usage).toEqual(usage);
    expect(computeCost({ provider: 'openai', model: 'gpt-4.1', usage })).toBeCloseTo(0.0008, 10);
  });

  it('says when the answer reached its limit of tokens', async () => {
    const { completion } = await ask(
      { chunks: responseStream(['Hel'], { finish: 'max_output_tokens' }) },
      {},
      provider,
    );
    expect(completion).toMatchObject({ text: 'Hel', is_cut: true });
  });

  it('takes a stream without its last event as cut off, and asks again', async () => {
    const whole = responseStream(['Hello']);
    const { completion, seen } = await ask(
      (_, count) => ({ chunks: count === 0 ? whole.slice(0, -1) : whole }),
      {},
      provider,
    );
    expect(completion?.text).toBe('Hello');
    expect(seen).toHaveLength(2);
  });

  it('words a response that failed, a filtered and an empty one', async () => {
    const failed = `event: response.failed\ndata: ${JSON.stringify({
      type: 'response.failed',
      sequence_number: 2,
      response: {
        error: { code: 'invalid_prompt', message: `not allowed ${KEY}` },
        incomplete_details: null,
      },
    })}\n\n`;
    const words = async (chunks: readonly string[]) => (await ask({ chunks }, {}, provider)).failure?.message;
    expect(await words([...responseStream([]).slice(0, 2), failed])).toBe(
      'The provider rejected the request (status 400): not allowed **',
    );
    expect(await words(responseStream(['x'], { finish: 'content_filter' }))).toBe(
      'The provider blocked the answer (content_filter)',
    );
    expect(await words(responseStream([]))).toBe('The provider returned an empty answer (stop)');
  });

  it('passes a refusal on, such as of a server that has no Responses API', async () => {
    const { failure, seen } = await ask(refuse(404, { error: { message: 'no such route' } }), {}, provider);
    expect(failure?.message).toBe(
      'The provider did not find the model or the address (status 404): no such route',
    );
    expect(seen).toHaveLength(1);
  });
});

it('a provider with one interface is asked as always', async () => {
  const { completion, seen } = await ask({ chunks: messageStream(['Hi']) }, {}, 'anthropic');
  expect(completion?.text).toBe('Hi');
  expect(seen[0]?.path).toBe('/messages');
});
