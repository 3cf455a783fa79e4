import { expect, test } from 'vitest';
import { isAccepted, peekType } from './accepted-types.ts';

const pdf = { mime: 'application/pdf', filename: 'Offer.PDF' };

test.each<[readonly string[], boolean]>([
  [[], true],
  [['application/pdf'], true],
  [['image/*', '.pdf'], true],
  [['pdf'], true],
  [['*/*'], true],
  [['application/*'], true],
  [['image/*'], false],
  [['application/pd'], false],
  [['.pd'], false],
  [['.offer.pdf'], false],
])('a PDF with %j: %s', (types, accepted) => {
  expect(isAccepted(types, pdf)).toBe(accepted);
});

async function* chunks(size: number, count: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < count; at++) yield Buffer.alloc(size, `${at % 10}`);
}

test.each([
  [0, 0],
  [3, 1],
  [1_000, 3],
  [1_000, 12],
  [4_100, 1],
  [9_000, 2],
])('what was read for the type is not lost: chunks of %d bytes, %d of them', async (size, count) => {
  const { mime, body } = await peekType(chunks(size, count), 'a.txt');
  expect(mime).toBe('text/plain');
  const read: Uint8Array[] = [];
  for await (const chunk of body) read.push(chunk);
  const sent: Uint8Array[] = [];
  for await (const chunk of chunks(size, count)) sent.push(chunk);
  expect(Buffer.concat(read).equals(Buffer.concat(sent))).toBe(true);
});

test('a broken body is broken behind the type, too', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.alloc(5_000, 'a');
    throw new Error('cut off');
  }
  const { body } = await peekType(broken(), 'a.txt');
  const read = async () => {
    for await (const _ of body);
  };
  await expect(read()).rejects.toThrow('cut off');
});
