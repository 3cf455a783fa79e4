import { createMasker, NodeFailure } from '@millrace/engine';
import { afterEach, describe, expect, it } from 'vitest';
import type { ModelCaller, ModelProvider, ModelService } from '../model-service.ts';
import {
  chatStream,
  contentStream,
  type FakeProvider,
  type FakeReply,
  messageStream,
  refuse,
  type SeenCall,
  startFakeProvider,
} from '../testing/fake-provider.ts';
import { openTransport } from '../testing/open-transport.ts';
import { type CompletionRequest, complete } from './complete.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const KEY = 'key-0123456789';
const STREAMS = {
  openai: chatStream,
  anthropic: messageStream,
  google: contentStream,
  compatible: chatStream,
};
const PROVIDERS = Object.keys(STREAMS) as ModelProvider[];
const AUTH: Record<ModelProvider, Record<string, string>> = {
  openai: { authorization: `Bearer ${KEY}` },
  anthropic: { 'x-api-key': KEY },
  google: { 'x-goog-api-key': KEY },
  compatible: { authorization: `Bearer ${KEY}`, 'X-Tenant': 'blue' },
};

const running: FakeProvider[] = [];
afterEach(() => {
  for (const server of running.splice(0)) server.stop();
});

async function serve(reply: FakeReply | ((call: SeenCall, count: number) => FakeReply)) {
  const server = await startFakeProvider(typeof reply === 'function' ? reply : () => reply);
  running.push(server);
  return server;
}

function createService(provider: ModelProvider, { url }: FakeProvider): ModelService {
  return {
    provider,
    title: 'The provider',
    service: { base_url: url, headers: AUTH[provider] },
    secrets: [KEY],
  };
}

function callerWith(more: Partial<ModelCaller> = {}): ModelCaller & { readonly pauses: number[] } {
  const pauses: number[] = [];
  return {
    http: openTransport(),
    mask: (value) => value,
    now: () => NOW,
    sleepUntil: (epoch_ms) => {
      pauses.push(epoch_ms - NOW);
      return Promise.resolve();
    },
    signal: new AbortController().signal,
    max_wait_ms: 60_000,
    pauses,
    ...more,
  };
}

const REQUEST: CompletionRequest = {
  model: 'model-1',
  system: 'Be brief',
  messages: [{ role: 'user', text: 'Hello' }],
  timeout_ms: 5_000,
};

const ask = (
  provider: ModelProvider,
  server: FakeProvider,
  request: Partial<CompletionRequest> = {},
  caller: ModelCaller = callerWith(),
) => complete(caller, createService(provider, server), { ...REQUEST, ...request });

async function catchFailure(asked: Promise<unknown>) {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof NodeFailure)) throw new Error(`no NodeFailure but ${String(error)}`);
  return error.failure;
}

describe.each(PROVIDERS)('a call of %s', (provider) => {
  const streamed = (pieces: readonly string[], told?: Parameters<typeof chatStream>[1]): FakeReply => ({
    chunks: STREAMS[provider](pieces, told),
  });

  it('returns the text of all pieces and the tokens', async () => {
    const server = await serve(streamed(['Hel', 'lo ', 'wörld']));
    expect(await ask(provider, server)).toEqual({
      text: 'Hello wörld',
      usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
      is_cut: false,
      elapsed_ms: 0,
    });
  });

  it('authenticates with the headers of the credential alone', async () => {
    const server = await serve(streamed(['ok']));
    await ask(provider, server);
    const sent = server.seen[0]?.headers ?? {};
    for (const [name, value] of Object.entries(AUTH[provider])) expect(sent[name.toLowerCase()]).toBe(value);
    expect(JSON.stringify(sent)).not.toContain('replaced');
  });

  it('reads characters and lines that are split between packets', async () => {
    const bytes = Buffer.from(STREAMS[provider](['grün', ' 🌊']).join(''));
    const chunks = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, index) =>
      bytes.subarray(index * 7, index * 7 + 7),
    );
    expect((await ask(provider, await serve({ chunks }))).text).toBe('grün 🌊');
  });

  it('reads over comments that keep a connection open', async () => {
    const chunks = STREAMS[provider](['ok']).flatMap((part) => [': keep-alive\n\n', part]);
    expect((await ask(provider, await serve({ chunks }))).text).toBe('ok');
  });

  it('waits as long as Retry-After says, then tries again', async () => {
    const limited = refuse(429, { error: { message: 'slow down' } }, { 'retry-after': '7' });
    const server = await serve((_, count) => (count === 0 ? limited : streamed(['ok'])));
    const caller = callerWith();
    expect((await ask(provider, server, {}, caller)).text).toBe('ok');
    expect(caller.pauses).toEqual([7_000]);
  });

  it('fails with the words of the provider when it asks for a longer wait than allowed', async () => {
    const limited = refuse(429, { error: { message: 'slow down' } }, { 'retry-after': '61' });
    const server = await serve(limited);
    expect(await catchFailure(ask(provider, server))).toMatchObject({
      kind: 'upstream',
      message: 'The provider is rate limiting this key; try again in 61 s: slow down',
    });
    expect(server.seen).toHaveLength(1);
  });

  it('tries four times with growing pauses while the provider has a problem, then gives up', async () => {
    const server = await serve(refuse(503, { error: { message: 'maintenance' } }));
    const caller = callerWith();
    expect(await catchFailure(ask(provider, server, {}, caller))).toMatchObject({
      message: 'The provider reported a server error (status 503): maintenance',
      details: { status: 503 },
    });
    expect(server.seen).toHaveLength(4);
    expect(caller.pauses).toEqual([500, 1_000, 2_000]);
  });

  it('refuses a wrong key at once, without the key in the error', async () => {
    const server = await serve(refuse(401, { error: { message: `Incorrect API key provided: ${KEY}` } }));
    const failure = await catchFailure(ask(provider, server));
    expect(failure).toMatchObject({ kind: 'credential', field: 'credentialId', final: true });
    expect(failure.message).toBe(
      'The provider refused the credential; test it on the credentials page: Incorrect API key provided: **',
    );
    expect(server.seen).toHaveLength(1);
  });

  it('does not repeat a refused request and says what the provider said', async () => {
    const server = await serve(refuse(400, { error: { message: 'max_tokens is too large' } }));
    expect(await catchFailure(ask(provider, server))).toMatchObject({
      message: 'The provider rejected the request (status 400): max_tokens is too large',
      final: true,
    });
    expect(server.seen).toHaveLength(1);
  });

  it('tries again after a connection that breaks in the middle', async () => {
    const cut: FakeReply = { chunks: STREAMS[provider](['Hel', 'lo']).slice(0, 2), end: 'drop' };
    const server = await serve((_, count) => (count === 0 ? cut : streamed(['Hello'])));
    expect((await ask(provider, server)).text).toBe('Hello');
    expect(server.seen).toHaveLength(2);
  });

  it('takes no half answer for a whole one when the stream ends early', async () => {
    const server = await serve({ chunks: STREAMS[provider](['Hel', 'lo']).slice(0, 2) });
    const failure = await catchFailure(ask(provider, server, {}, callerWith({ max_wait_ms: 0 })));
    expect(failure.message).toBe('The provider ended the connection before the answer was complete');
  });

  it('fails in plain words when the stream is no JSON', async () => {
    const server = await serve({ chunks: ['data: {"broken": \n\n', 'data: [DONE]\n\n'] });
    const failure = await catchFailure(ask(provider, server, {}, callerWith({ max_wait_ms: 0 })));
    expect(failure.message).toBe('The provider returned an answer that cannot be read');
  });

  it('fails when the answer is empty', async () => {
    const failure = await catchFailure(ask(provider, await serve(streamed([]))));
    expect(failure.message).toContain('The provider returned an empty answer');
    expect(failure.final).toBe(true);
  });

  it('closes the connection when the run is cancelled', async () => {
    const server = await serve({ chunks: STREAMS[provider](['Hel', 'lo']).slice(0, 2), end: 'hang' });
    const controller = new AbortController();
    const asked = catchFailure(ask(provider, server, {}, callerWith({ signal: controller.signal })));
    await expect.poll(() => server.seen.length).toBe(1);
    controller.abort();
    await server.seen[0]?.closed;
    expect(await asked).toMatchObject({ kind: 'cancelled' });
  });

  it('gives up when the time is over, without another attempt', async () => {
    const server = await serve({ chunks: [': keep-alive\n\n'], end: 'hang' });
    expect(await catchFailure(ask(provider, server, { timeout_ms: 100 }))).toMatchObject({
      kind: 'timeout',
      message: 'no complete answer within 0.1 s',
    });
    expect(server.seen).toHaveLength(1);
  });

  it('hides what the caller masks, wherever it stands in the request, and not its own key', async () => {
    const server = await serve(streamed(['ok']));
    const { mask } = createMasker(['secret-0123456789', KEY]);
    const messages = [
      { role: 'user' as const, text: 'Use "secret-0123456789"' },
      {
        role: 'assistant' as const,
        text: '',
        tool_calls: [{ id: 't1', name: 'look', arguments: '{"q":"secret-0123456789"}' }],
      },
      {
        role: 'tool' as const,
        results: [{ id: 't1', name: 'look', text: 'secret-0123456789', is_error: false }],
      },
    ];
    const extra_body = { note: ['secret-0123456789'] };
    await ask(provider, server, { system: 'secret-0123456789', messages, extra_body }, callerWith({ mask }));
    const seen = server.seen[0];
    expect(JSON.stringify(seen?.body)).not.toContain('secret-0123456789');
    expect(JSON.stringify(seen?.body).split('secret-**')).toHaveLength(6);
    expect(JSON.stringify(seen?.headers)).toContain(KEY);
  });

  it('lays the extra body over its own', async () => {
    const server = await serve(streamed(['ok']));
    await ask(provider, server, { extra_body: { seed: 7, nested: { a: [1] } } });
    expect(server.seen[0]?.body).toMatchObject({ seed: 7, nested: { a: [1] } });
  });
});

describe('the text of an answer', () => {
  it.each(PROVIDERS)('arrives piece by piece from %s', async (provider) => {
    const server = await serve({ chunks: STREAMS[provider](['Hel', 'lo']) });
    const pieces: string[] = [];
    const answer = await complete(callerWith(), createService(provider, server), {
      ...REQUEST,
      onText: (piece) => pieces.push(piece),
    });
    expect(pieces).toEqual(['Hel', 'lo']);
    expect(answer.text).toBe('Hello');
  });

  it('is not requested again once a part of it was read, and is before that', async () => {
    const half = { chunks: chatStream(['Hel', 'lo']).slice(0, 2), end: 'drop' } as const;
    const server = await serve((_call, count) => (count === 0 ? { chunks: [], end: 'drop' } : half));
    const pieces: string[] = [];
    const request = { ...REQUEST, onText: (piece: string) => pieces.push(piece) };
    await expect(complete(callerWith(), createService('openai', server), request)).rejects.toThrow(
      NodeFailure,
    );
    expect(pieces).toEqual(['Hel']);
    expect(server.seen).toHaveLength(2);
  });

  it('is requested again where what was read can be taken back', async () => {
    const half = { chunks: chatStream(['Hel', 'lo']).slice(0, 2), end: 'drop' } as const;
    const server = await serve((_call, count) => (count === 0 ? half : { chunks: chatStream(['Hi']) }));
    const read: (string | null)[] = [];
    const { text } = await complete(callerWith(), createService('openai', server), {
      ...REQUEST,
      onText: (piece) => read.push(piece),
      onRestart: () => read.push(null),
    });
    expect([text, read]).toEqual(['Hi', ['Hel', null, 'Hi']]);
  });
});

describe('what each provider is sent', () => {
  const image = `data:image/png;base64,${Buffer.from('png').toString('base64')}`;
  const schema = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false };
  const sent = async (provider: ModelProvider, request: Partial<CompletionRequest>) => {
    const server = await serve({ chunks: STREAMS[provider](['ok']) });
    await ask(provider, server, request);
    const [call] = server.seen;
    return { path: call?.path, ...call?.body };
  };

  it.each([
    [
      'openai',
      {
        path: '/chat/completions',
        model: 'model-1',
        temperature: 0.3,
        max_tokens: 50,
        stream: true,
        stream_options: { include_usage: true },
        messages: [
          { role: 'system', content: 'Be brief' },
          { role: 'user', content: 'Hello' },
        ],
      },
    ],
    [
      'compatible',
      {
        path: '/chat/completions',
        temperature: 0.3,
        max_tokens: 50,
        stream_options: { include_usage: true },
      },
    ],
    [
      'anthropic',
      {
        path: '/messages',
        temperature: 0.3,
        max_tokens: 50,
        system: [{ type: 'text', text: 'Be brief' }],
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
      },
    ],
    [
      'google',
      {
        path: '/models/model-1:streamGenerateContent?alt=sse',
        generationConfig: { temperature: 0.3, maxOutputTokens: 50 },
        systemInstruction: { parts: [{ text: 'Be brief' }] },
        contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      },
    ],
  ] as const)('%s gets system, message, temperature and limit', async (provider, body) => {
    expect(await sent(provider, { temperature: 0.3, max_tokens: 50 })).toMatchObject(body);
  });

  it.each([
    ['openai', 'o4-mini', { reasoning_effort: 'high' }],
    ['compatible', 'local', { reasoning_effort: 'high' }],
    ['anthropic', 'claude-sonnet-4-5', { thinking: { type: 'enabled', budget_tokens: 24_576 } }],
    ['anthropic', 'claude-opus-4-7', { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }],
    ['google', 'gemini-2.5-pro', { generationConfig: { thinkingConfig: { thinkingBudget: 24_576 } } }],
    ['google', 'gemini-3-pro', { generationConfig: { thinkingConfig: { thinkingLevel: 'high' } } }],
  ] as const)('%s %s gets the reasoning effort and no temperature', async (provider, model, body) => {
    const found = await sent(provider, { model, reasoning_effort: 'high', temperature: 0.3 });
    expect(found).toMatchObject(body);
    expect(JSON.stringify(found)).not.toContain('"temperature"');
  });

  it.each([
    [
      'openai',
      { response_format: { type: 'json_schema', json_schema: { name: 'output', strict: true, schema } } },
    ],
    [
      'compatible',
      { response_format: { type: 'json_schema', json_schema: { name: 'output', strict: true, schema } } },
    ],
    ['google', { generationConfig: { responseMimeType: 'application/json' } }],
  ] as const)('%s gets the strict schema', async (provider, body) => {
    expect(await sent(provider, { json: { schema } })).toMatchObject(body);
  });

  it('anthropic gets the strict schema as an output format', async () => {
    const found = await sent('anthropic', { model: 'claude-sonnet-4-5', json: { schema } });
    expect(JSON.stringify(found)).toContain('"a":{"type":"string"}');
  });

  it('asks for any JSON object without a schema', async () => {
    expect(await sent('openai', { json: {} })).toMatchObject({ response_format: { type: 'json_object' } });
  });

  it.each([
    ['openai', { type: 'image_url', image_url: { url: image } }],
    ['compatible', { type: 'image_url', image_url: { url: image } }],
    ['anthropic', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'cG5n' } }],
    ['google', { inlineData: { mimeType: 'image/png', data: 'cG5n' } }],
  ] as const)('%s gets an image in its own shape', async (provider, part) => {
    const found = await sent(provider, { messages: [{ role: 'user', text: 'See', images: [image] }] });
    expect(JSON.stringify(found)).toContain(JSON.stringify(part));
  });

  it('loads an image for Google, which takes no addresses of other servers', async () => {
    const server = await serve((call) =>
      call.path === '/cat.png'
        ? { headers: { 'content-type': 'image/png' }, chunks: ['png'] }
        : { chunks: contentStream(['a cat']) },
    );
    await ask('google', server, {
      messages: [{ role: 'user', text: 'See', images: [`${server.url}/cat.png`] }],
    });
    expect(JSON.stringify(server.seen[1]?.body)).toContain('{"mimeType":"image/png","data":"cG5n"}');
    expect(server.seen[0]?.headers['x-goog-api-key']).toBeUndefined();
  });

  it('keeps earlier messages in their order', async () => {
    const found = await sent('openai', {
      system: '',
      messages: [
        { role: 'user', text: 'one' },
        { role: 'assistant', text: 'two' },
        { role: 'user', text: 'three' },
      ],
    });
    expect(found).toMatchObject({
      messages: [
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'two' },
        { role: 'user', content: 'three' },
      ],
    });
  });
});

describe('quirks of single providers', () => {
  it('does not wait for a quota that is spent', async () => {
    const server = await serve(
      refuse(429, { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } }),
    );
    const failure = await catchFailure(ask('openai', server));
    expect(failure.message).toContain('has no quota or credit left for this key (status 429)');
    expect(server.seen).toHaveLength(1);
  });

  it('reads how long Google asks to wait from the body', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '3.5s' }];
    const limited = refuse(429, { error: { code: 429, message: 'quota', details } });
    const server = await serve((_, count) => (count === 0 ? limited : { chunks: contentStream(['ok']) }));
    const caller = callerWith();
    await ask('google', server, {}, caller);
    expect(caller.pauses).toEqual([3_500]);
  });

  it('reads Retry-After as a date and in milliseconds', async () => {
    const date = new Date(NOW + 9_000).toUTCString();
    const server = await serve((_, count) => {
      if (count === 0) return refuse(429, {}, { 'retry-after': date });
      if (count === 1) return refuse(429, {}, { 'retry-after-ms': '250', 'retry-after': '1' });
      return { chunks: chatStream(['ok']) };
    });
    const caller = callerWith();
    await ask('openai', server, {}, caller);
    expect(caller.pauses).toEqual([9_000, 250]);
  });

  it('tries again when Anthropic is overloaded inside a stream', async () => {
    const overloaded = {
      chunks: [
        ...messageStream(['Hel']).slice(0, 4),
        'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
      ],
    };
    const server = await serve((_, count) => (count === 0 ? overloaded : { chunks: messageStream(['ok']) }));
    expect((await ask('anthropic', server)).text).toBe('ok');
  });

  it('counts the whole prompt of Anthropic, which tells what its cache had and what it took apart', async () => {
    const told = { usage: [100, 5] as const, cached: 800, written: 60 };
    const server = await serve({ chunks: messageStream(['ok'], told) });
    expect((await ask('anthropic', server)).usage).toEqual({
      prompt_tokens: 960,
      completion_tokens: 5,
      total_tokens: 965,
      cached_tokens: 800,
      cache_write_tokens: 60,
    });
  });

  it('tells an error that a compatible server sends inside its stream', async () => {
    const server = await serve({
      chunks: [
        ...chatStream(['Hel']).slice(0, 2),
        'data: {"error":{"message":"CUDA out of memory","type":"internal"}}\n\n',
        'data: [DONE]\n\n',
      ],
    });
    const failure = await catchFailure(ask('compatible', server, {}, callerWith({ max_wait_ms: 0 })));
    expect(failure.message).toBe('The provider interrupted the answer: CUDA out of memory');
  });

  it.each([
    ['openai', 'content_filter'],
    ['google', 'SAFETY'],
    ['anthropic', 'refusal'],
  ] as const)('%s says that it blocked the answer (%s)', async (provider, finish) => {
    const server = await serve({ chunks: STREAMS[provider](['I'], { finish }) });
    const failure = await catchFailure(ask(provider, server));
    expect(failure.message).toBe(`The provider blocked the answer (${finish})`);
  });

  it('says that the limit of tokens left no room for text', async () => {
    const server = await serve({ chunks: chatStream([], { finish: 'length' }) });
    expect((await catchFailure(ask('openai', server))).message).toContain('raise the limit');
  });

  it('accepts a compatible server that counts no tokens', async () => {
    const chunks = chatStream(['ok']).filter((chunk) => !chunk.includes('"usage"'));
    const server = await serve({ chunks });
    expect((await ask('compatible', server)).usage.total_tokens).toBe(0);
  });
});
