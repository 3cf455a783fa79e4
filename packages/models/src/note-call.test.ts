import { afterEach, expect, test } from 'vitest';
import { complete } from './answer/complete.ts';
import { decide } from './decide.ts';
import { embed } from './embed.ts';
import type { ModelCallNote } from './model-call.ts';
import type { ModelCaller, ModelService } from './model-service.ts';
import { usageIn } from './note-call.ts';
import { chatStream, type FakeReply, json, refuse, startFakeProvider } from './testing/fake-provider.ts';
import { openTransport } from './testing/open-transport.ts';

const KEY = 'sk-canary-0123456789';
const running: (() => void)[] = [];
afterEach(() => {
  for (const stop of running.splice(0)) stop();
});

async function world(reply: (count: number) => FakeReply) {
  const provider = await startFakeProvider((_call, count) => reply(count));
  running.push(provider.stop);
  const notes: ModelCallNote[] = [];
  let now = 1_000;
  const caller: ModelCaller = {
    http: openTransport(),
    now: () => (now += 5),
    sleepUntil: () => Promise.resolve(),
    signal: new AbortController().signal,
    max_wait_ms: 60_000,
    mask: (value) => value,
    onCall: (call) => notes.push(call),
  };
  const service: ModelService = {
    provider: 'compatible',
    title: 'The server',
    service: { base_url: provider.url, headers: { authorization: `Bearer ${KEY}` } },
    secrets: [KEY],
  };
  return { caller, service, notes };
}

const ask = {
  model: 'm1',
  system: 'Be brief.',
  messages: [{ role: 'user', text: 'Hi' }],
  timeout_ms: 5_000,
} as const;

test('a completion is noted once, with what was asked and answered, however often it was repeated', async () => {
  const { caller, service, notes } = await world((count) =>
    count === 0 ? refuse(503, { error: 'busy' }) : { chunks: chatStream(['Good ', 'day']) },
  );
  await complete(caller, service, { ...ask, onText: () => undefined });
  expect(notes).toEqual([
    {
      request_type: 'chat',
      provider: 'compatible',
      model: 'm1',
      request: { system: 'Be brief.', messages: [{ role: 'user', text: 'Hi' }] },
      response: { text: 'Good day', is_cut: false },
      error: null,
      usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
      started_at_ms: 1_005,
      elapsed_ms: expect.any(Number),
    },
  ]);
  expect(notes[0]?.elapsed_ms).toBeGreaterThan(0);
});

test('a refused call is noted with the words of the refusal and without the key', async () => {
  const { caller, service, notes } = await world(() =>
    refuse(400, { error: { message: `bad request of ${KEY}` } }),
  );
  await expect(complete(caller, service, ask)).rejects.toThrow('bad request');
  expect(notes).toMatchObject([
    { response: null, usage: null, error: expect.stringContaining('bad request of **') },
  ]);
  expect(JSON.stringify(notes)).not.toContain(KEY);
});

test('a decision is noted with its answers and its tokens', async () => {
  const answers = { urgent: { type: 'noul', noul: 0.9 } };
  const { caller, service, notes } = await world(() =>
    json({ model: 'm1', answers, usage: { input_tokens: 7, output_tokens: 2 } }),
  );
  await decide(caller, service, { body: { model: 'm1', state: 'x' }, timeout_ms: 5_000 });
  expect(notes).toMatchObject([
    {
      request_type: 'decision',
      model: 'm1',
      request: { state: 'x' },
      response: { answers },
      usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 },
    },
  ]);
});

test('texts that become vectors are noted without the vectors', async () => {
  const { caller, service, notes } = await world(() =>
    json({ data: [{ index: 0, embedding: [1, 2] }], usage: { prompt_tokens: 3, total_tokens: 3 } }),
  );
  await embed(caller, service, { model: 'e1', dimensions: 2, texts: ['Kiel'], timeout_ms: 5_000 });
  expect(notes).toMatchObject([
    {
      request_type: 'embedding',
      model: 'e1',
      request: { dimensions: 2, texts: ['Kiel'] },
      response: { vectors: 1, dimensions: 2 },
      usage: { total_tokens: 3 },
    },
  ]);
});

test('texts that cannot become vectors are noted with the reason', async () => {
  const { caller, service, notes } = await world(() => json({ data: [] }));
  const request = { model: 'e1', dimensions: 2, texts: ['Kiel'], timeout_ms: 5_000 };
  await expect(embed(caller, service, request)).rejects.toThrow('one vector for each text');
  expect(notes).toMatchObject([
    { response: null, error: expect.stringContaining('one vector for each text') },
  ]);
});

test('tokens from the cache of the provider are a part of those of the prompt', () => {
  const counted = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
  expect(usageIn({ usage: { ...counted, prompt_tokens_details: { cached_tokens: 8 } } })).toEqual({
    ...counted,
    cached_tokens: 8,
  });
  expect(usageIn({ usage: { ...counted, prompt_tokens_details: { cached_tokens: 99 } } })).toEqual({
    ...counted,
    cached_tokens: 10,
  });
  expect(usageIn({ usage: { ...counted, prompt_tokens_details: { cached_tokens: 0 } } })).toEqual(counted);
});
