import { afterEach, describe, expect, it } from 'vitest';
import type { ModelProvider, ModelService } from '../model-service.ts';
import {
  chatStream,
  contentStream,
  type FakeProvider,
  messageStream,
  type SeenCall,
  startFakeProvider,
} from '../testing/fake-provider.ts';
import { openTransport } from '../testing/open-transport.ts';
import { type CompletionRequest, complete } from './complete.ts';

const STREAMS = {
  openai: chatStream,
  anthropic: messageStream,
  google: contentStream,
  compatible: chatStream,
};
const PROVIDERS = Object.keys(STREAMS) as ModelProvider[];

const running: FakeProvider[] = [];
afterEach(() => {
  for (const server of running.splice(0)) server.stop();
});

const WEATHER = {
  name: 'weather',
  description: 'The weather of a town',
  input_schema: {
    type: 'object',
    properties: { town: { type: 'string' } },
    required: ['town'],
  },
};
const USES = [
  { id: 'use_1', name: 'weather', arguments: '{"town":"Rome"}' },
  { id: 'use_2', name: 'weather', arguments: '{"town":"Oslo"}' },
];
const REQUEST: CompletionRequest = {
  model: 'model-1',
  system: '',
  messages: [{ role: 'user', text: 'Weather?' }],
  tools: [WEATHER],
  timeout_ms: 5_000,
};

async function ask(provider: ModelProvider, request: Partial<CompletionRequest>, told: object) {
  const server = await startFakeProvider(() => ({ chunks: STREAMS[provider](['One moment'], told) }));
  running.push(server);
  const service: ModelService = {
    provider,
    title: 'The provider',
    service: { base_url: server.url, headers: {} },
    secrets: [],
  };
  const caller = {
    http: openTransport(),
    now: () => 0,
    sleepUntil: () => Promise.resolve(),
    signal: new AbortController().signal,
    max_wait_ms: 0,
    mask: <T>(value: T) => value,
  };
  const completion = await complete(caller, service, { ...REQUEST, ...request });
  return { completion, seen: server.seen[0] as SeenCall };
}

describe.each(PROVIDERS)('tools of %s', (provider) => {
  it('are offered, and asked for several at once with whole arguments', async () => {
    const { completion, seen } = await ask(provider, {}, { tools: USES });
    const uses = completion.tool_calls ?? [];
    expect(completion.text).toBe('One moment');
    expect(uses.map(({ name, arguments: text }) => [name, JSON.parse(text)])).toEqual([
      ['weather', { town: 'Rome' }],
      ['weather', { town: 'Oslo' }],
    ]);
    expect(new Set(uses.map(({ id }) => id)).size).toBe(2);
    expect(JSON.stringify(seen.body?.['tools'])).toContain('The weather of a town');
  });

  it('get their results back under the ids of their uses', async () => {
    const { completion } = await ask(provider, {}, { tools: USES });
    const [first, second] = completion.tool_calls ?? [];
    if (!first || !second) throw new Error('no tools were asked for');
    const { completion: last, seen } = await ask(
      provider,
      {
        messages: [
          { role: 'user', text: 'Weather?' },
          { role: 'assistant', text: completion.text, tool_calls: [first, second] },
          {
            role: 'tool',
            results: [
              { id: first.id, name: 'weather', text: '{"sun":true}', is_error: false },
              { id: second.id, name: 'weather', text: 'no such town', is_error: true },
            ],
          },
        ],
      },
      {},
    );
    expect(last.text).toBe('One moment');
    expect(last.tool_calls).toBeUndefined();
    const sent = JSON.stringify(seen.body);
    expect(sent).toContain('Rome');
    expect(sent).toContain('no such town');
    if (provider !== 'google') {
      expect(sent.split(JSON.stringify(first.id))).toHaveLength(3);
      expect(sent.split(JSON.stringify(second.id))).toHaveLength(3);
    }
    // Google refuses calls that come back without the signature it gave them.
    if (provider === 'google') expect(sent).toContain('signed-use_1');
  });

  it('that a model asked for in broken JSON can be told so', async () => {
    const { seen } = await ask(
      provider,
      {
        messages: [
          { role: 'user', text: 'Weather?' },
          { role: 'assistant', text: '', tool_calls: [{ id: 'a', name: 'weather', arguments: 'town=Rome' }] },
          { role: 'tool', results: [{ id: 'a', name: 'weather', text: 'not JSON', is_error: true }] },
        ],
      },
      {},
    );
    expect(JSON.stringify(seen.body)).toContain('not JSON');
  });
});
