import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { embed } from './embed.ts';
import { openTransport } from './testing/open-transport.ts';

interface Asked {
  model: string;
  input: string[];
  encoding_format: string;
  dimensions?: number;
}
type Reply = (
  asked: Asked,
  count: number,
) => { status?: number; headers?: Record<string, string>; body: unknown };

const running: (() => void)[] = [];
afterEach(() => {
  for (const stop of running.splice(0)) stop();
});

/** https://platform.openai.com/docs/api-reference/embeddings: path, verb, key and fields. */
async function serve(reply: Reply) {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const body = JSON.parse(text) as Asked;
      const isKnown =
        request.method === 'POST' &&
        request.url === '/v1/embeddings' &&
        request.headers.authorization === 'Bearer sk-canary';
      if (isKnown) asked.push(body);
      const answer = isKnown
        ? reply(body, asked.length)
        : { status: 401, body: { error: { message: 'Bad key' } } };
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
      response.end(JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  running.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

/** The vector of a text has its length and 1; entries come in reverse, as the API allows by their index. */
const lengths: Reply = ({ input }) => ({
  body: {
    data: input.map((text, index) => ({ object: 'embedding', index, embedding: [text.length, 1] })).reverse(),
  },
});

const run = (
  base_url: string,
  texts: string[],
  more: { model?: string; key?: string; dimensions?: number } = {},
) =>
  embed(
    {
      http: openTransport(),
      now: () => 0,
      sleepUntil: () => Promise.resolve(),
      signal: new AbortController().signal,
      max_wait_ms: 60_000,
      mask: (value) => value,
    },
    {
      title: 'The server',
      service: { base_url, headers: { authorization: `Bearer ${more.key ?? 'sk-canary'}` } },
      secrets: [more.key ?? 'sk-canary'],
    },
    { model: more.model ?? 'own-model', dimensions: more.dimensions ?? 2, texts, timeout_ms: 5_000 },
  );

test('each text gets its vector when the answer is in another order', async () => {
  const { base_url, asked } = await serve(lengths);
  expect(await run(base_url, ['a', 'bbb', 'ü'])).toEqual([
    [1, 1],
    [3, 1],
    [1, 1],
  ]);
  expect(asked).toEqual([{ model: 'own-model', input: ['a', 'bbb', 'ü'], encoding_format: 'float' }]);
});

test('models that shorten their vectors are told the length', async () => {
  const { base_url, asked } = await serve(lengths);
  await run(base_url, ['a'], { model: 'text-embedding-3-large' });
  expect(asked[0]?.dimensions).toBe(2);
});

test('many texts are sent in several requests', async () => {
  const { base_url, asked } = await serve(lengths);
  const texts = Array.from({ length: 200 }, (_, at) => 'x'.repeat(at + 1));
  expect((await run(base_url, texts)).map(([length]) => length)).toEqual(texts.map(({ length }) => length));
  expect(asked.map(({ input }) => input.length)).toEqual([96, 96, 8]);
});

test('a limit is waited for', async () => {
  const limited = { status: 429, headers: { 'retry-after': '2' }, body: { error: { message: 'slow down' } } };
  const { base_url, asked } = await serve((body, count) => (count === 1 ? limited : lengths(body, count)));
  expect(await run(base_url, ['a'])).toEqual([[1, 1]]);
  expect(asked).toHaveLength(2);
});

test.each<[string, unknown, RegExp]>([
  ['another length', { data: [{ index: 0, embedding: [1, 2, 3] }] }, /3 numbers instead of 2/],
  ['too few', { data: [] }, /one vector for each text/],
  ['no numbers', { data: [{ index: 0, embedding: 'AAAA' }] }, /cannot be read/],
  ['something else', { object: 'error' }, /one vector for each text/],
])('an answer with %s fails with what to correct', async (_, body, words) => {
  const { base_url } = await serve(() => ({ body }));
  await expect(run(base_url, ['a'])).rejects.toThrow(words);
});

test('a refused key is a problem of the credential, told without the key', async () => {
  const { base_url } = await serve(lengths);
  const failed = run(base_url, ['a'], { key: 'sk-old-canary' });
  await expect(failed).rejects.toMatchObject({ failure: { kind: 'credential' } });
  await expect(failed).rejects.not.toThrow('canary');
});
