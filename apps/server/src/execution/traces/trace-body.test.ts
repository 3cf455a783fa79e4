import { createMasker } from '@millrace/engine';
import { expect, test } from 'vitest';
import { MAX_BODY_CHARACTERS, traceBody } from './trace-body.ts';

const same = <T>(value: T): T => value;

test('a short body is kept as it is', () => {
  const body = { system: 'x', messages: [{ role: 'user', text: 'Hi', images: ['https://a.test/b.png'] }] };
  expect(traceBody(body, same)).toEqual({ value: body, is_cut: false });
});

test('images give way to their type and size', () => {
  const image = `data:image/png;base64,${Buffer.alloc(3_000).toString('base64')}`;
  expect(traceBody({ images: [image] }, same)).toEqual({
    value: { images: ['[image/png, 3000 bytes]'] },
    is_cut: true,
  });
});

test('the longest texts are cut first, and say how much is missing', () => {
  const body = { system: 'short', messages: [{ text: 'x'.repeat(500_000) }] };
  const { value, is_cut } = traceBody(body, same);
  expect(is_cut).toBe(true);
  expect(value).toEqual({
    system: 'short',
    messages: [{ text: `${'x'.repeat(20_000)}… (480000 more characters)` }],
  });
});

test.each([
  ['many messages', Array.from({ length: 50_000 }, (_, at) => ({ text: `message ${at}` }))],
  ['many fields', Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`field ${at}`, at]))],
])('%s stay below the limit', (_, body) => {
  const { value, is_cut } = traceBody(body, same);
  expect(is_cut).toBe(true);
  expect(JSON.stringify(value).length).toBeLessThanOrEqual(MAX_BODY_CHARACTERS);
});

test('of many messages the first and the last are kept', () => {
  const { value } = traceBody(
    Array.from({ length: 20_000 }, (_, at) => `message ${at}`),
    same,
  );
  expect(value).toContain('message 0');
  expect(value).toContain('message 19999');
  expect(value).toContain('… (18000 more entries)');
});

test('a secret at the place of a cut is hidden before', () => {
  const secret = 'canary-0123456789';
  const masker = createMasker([secret]);
  const body = { text: `${'x'.repeat(19_990)}${secret}${'x'.repeat(400_000)}` };
  const text = JSON.stringify(traceBody(body, (value) => masker.mask(value)).value);
  expect(text).toContain('canary-**');
  expect(text).not.toContain('canary-0');
});
