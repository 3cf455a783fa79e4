import { NodeFailure } from '@millrace/engine';
import { afterEach, describe, expect, test } from 'vitest';
import { generateImage, type ImageRequest } from './image.ts';
import type { ModelProvider } from './model-service.ts';
import { imagesReply, PIXEL } from './testing/fake-images.ts';
import {
  type FakeProvider,
  type FakeReply,
  json,
  refuse,
  type SeenCall,
  startFakeProvider,
} from './testing/fake-provider.ts';
import { openTransport } from './testing/open-transport.ts';

const KEY = 'sk-canary-0123';
const running: FakeProvider[] = [];
afterEach(() => {
  for (const server of running.splice(0)) server.stop();
});

async function generate(
  reply: (call: SeenCall, count: number) => FakeReply,
  more: Partial<ImageRequest> = {},
  provider: ModelProvider = 'compatible',
) {
  const server = await startFakeProvider(reply);
  running.push(server);
  const notes: object[] = [];
  const image = generateImage(
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
      title: 'The server',
      provider,
      service: { base_url: server.url, headers: { Authorization: `Bearer ${KEY}` } },
      secrets: [KEY],
    },
    {
      model: 'gpt-image-1',
      prompt: 'a cat',
      size: '1024x1024',
      quality: 'auto',
      timeout_ms: 5_000,
      ...more,
    },
  );
  return { image, server, notes };
}

const bytes = Buffer.from(PIXEL, 'base64');

describe('an image', () => {
  test('comes with its kind and its tokens, and is noted without its bytes', async () => {
    const { image, server, notes } = await generate((call) => imagesReply(call), { quality: 'high' });
    const usage = { prompt_tokens: 12, completion_tokens: 272, total_tokens: 284 };
    expect(await image).toEqual({ bytes, mime_type: 'image/png', usage, elapsed_ms: 0 });
    expect(server.seen.map(({ body }) => body)).toEqual([
      { model: 'gpt-image-1', prompt: 'a cat', n: 1, size: '1024x1024', quality: 'high' },
    ]);
    expect(notes).toMatchObject([
      {
        request_type: 'image',
        model: 'gpt-image-1',
        request: { prompt: 'a cat' },
        response: { mime_type: 'image/png', bytes: bytes.length },
        usage,
      },
    ]);
    expect(JSON.stringify(notes)).not.toContain(PIXEL.slice(0, 20));
  });

  test('of a model that answers with an address unless it is asked for bytes', async () => {
    const { image, server } = await generate((call) => imagesReply(call), { model: 'dall-e-3', size: '' });
    expect(await image).toMatchObject({ bytes, revised_prompt: 'a cat, in oil', usage: null });
    expect(server.seen[0]?.body).toEqual({
      model: 'dall-e-3',
      prompt: 'a cat',
      n: 1,
      response_format: 'b64_json',
    });
  });

  test('is fetched from its address, without the key', async () => {
    const { image, server } = await generate((call) =>
      call.method === 'GET'
        ? { headers: { 'content-type': 'image/png' }, chunks: [bytes] }
        : json({ data: [{ url: `http://${call.headers['host']}/1.png` }] }),
    );
    expect((await image).bytes).toEqual(bytes);
    expect(server.seen.map(({ path, headers }) => [path, headers['authorization']])).toEqual([
      ['/images/generations', `Bearer ${KEY}`],
      ['/1.png', undefined],
    ]);
  });

  test('of Google is asked of Gemini with the nearest ratio', async () => {
    const { image, server } = await generate(
      () =>
        json({
          candidates: [
            {
              content: { role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data: PIXEL } }] },
              finishReason: 'STOP',
            },
          ],
          usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1290, totalTokenCount: 1293 },
        }),
      { model: 'gemini-2.5-flash-image', size: '1536x1024' },
      'google',
    );
    expect(await image).toMatchObject({
      mime_type: 'image/png',
      usage: { prompt_tokens: 3, completion_tokens: 1290 },
    });
    expect(server.seen[0]?.path).toBe('/models/gemini-2.5-flash-image:generateContent');
    expect(server.seen[0]?.body).toMatchObject({
      generationConfig: { responseModalities: ['IMAGE'], imageConfig: { aspectRatio: '3:2' } },
    });
  });
});

describe('no image', () => {
  test.each<[string, ModelProvider, FakeReply, RegExp]>([
    [
      'because the prompt is refused',
      'openai',
      refuse(400, { error: { message: `blocked by the safety system (${KEY})` } }),
      /rejected the request \(status 400\): blocked by the safety system \(\*\*\)$/,
    ],
    [
      'because the answer is a text',
      'openai',
      json({ data: [{ b64_json: 'aGVsbG8=' }] }),
      /did not return an image/,
    ],
    ['because the answer has no data', 'compatible', json({ data: [] }), /did not return an image/],
    ['because the answer is a page', 'compatible', { chunks: ['<html>'] }, /did not return an image/],
    ['because Google blocked it', 'google', json({ candidates: [] }), /The server/],
    [
      'of a provider without models that generate images',
      'anthropic',
      json({}),
      /has no models that generate images/,
    ],
  ])('%s', async (_, provider, reply, words) => {
    const { image } = await generate(() => reply, {}, provider);
    const error = await image.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(NodeFailure);
    expect(String(error)).toMatch(words);
    expect(String(error)).not.toContain(KEY);
  });

  test('at first, because of a limit: it is asked again', async () => {
    const { image, server } = await generate((call, count) =>
      count === 0 ? refuse(429, {}, { 'retry-after': '1' }) : imagesReply(call),
    );
    expect((await image).mime_type).toBe('image/png');
    expect(server.seen).toHaveLength(2);
  });
});
