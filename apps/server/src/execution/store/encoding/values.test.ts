import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createValueEncoder, decodeValues, INLINE_CHARACTERS, type StoredBlob } from './values.ts';

const long = (letter: string) => letter.repeat(INLINE_CHARACTERS + 1);

/** Encodes the values as one run would, then reads them back from text alone. */
async function roundTrip(values: readonly unknown[]) {
  const encoder = createValueEncoder();
  const texts = values.map((value) => encoder.encode(value));
  const blobs = new Map(encoder.takeBlobs().map((blob) => [blob.hash, blob]));
  const read = (hashes: readonly string[]) =>
    Promise.resolve(
      hashes.flatMap((hash): StoredBlob[] => [blobs.get(hash)].filter((blob) => blob !== undefined)),
    );
  return { texts, blobs: [...blobs.values()], decoded: await decodeValues(texts, read) };
}

describe('stored values', () => {
  test('a small value is plain JSON', async () => {
    const { texts, blobs } = await roundTrip([{ a: [1, 'two', null] }]);
    expect(texts).toEqual(['{"a":[1,"two",null]}']);
    expect(blobs).toEqual([]);
  });

  test('a large value that several records share is stored once', async () => {
    const body = { items: Array.from({ length: 5_000 }, (_, id) => ({ id })) };
    const values = [{ output: { body } }, { output: { body, more: 1 } }, { copy: structuredClone(body) }];
    const { texts, blobs, decoded } = await roundTrip(values);
    expect(decoded).toEqual(values);
    expect(blobs).toHaveLength(1);
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(200);
  });

  test('a large value inside of another large value is stored once by itself', async () => {
    const values = [
      { list: [long('a'), long('b'), ...Array.from({ length: 4_000 }, (_, at) => at)] },
      long('a'),
    ];
    const { blobs, decoded } = await roundTrip(values);
    expect(decoded).toEqual(values);
    expect(blobs).toHaveLength(3);
  });

  test('user data that looks like a reference stays data', async () => {
    const forged = { $blob: 'f'.repeat(64) };
    const values = [
      forged,
      { big: long('x'), forged, nested: { $blob: { $blob: 'deep' } }, list: [forged, { $blob: 1 }] },
    ];
    expect((await roundTrip(values)).decoded).toEqual(values);
  });

  test('texts keep NUL, lone surrogates, separators and keys that could reach a prototype', async () => {
    const values = [
      JSON.parse(`{"__proto__":{"a":1},"constructor":"${long('y')}"}`),
      { odd: '\u0000 \ud800 \u001f \u2028' },
    ];
    const { decoded } = await roundTrip(values);
    expect(JSON.stringify(decoded)).toBe(JSON.stringify(values));
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
  });

  test('any JSON comes back as it was', async () => {
    const json = fc.jsonValue({ maxDepth: 4 });
    const chunk = fc.constantFrom(long('p'), long('q'), '$blob');
    const document = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        json,
        chunk,
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', '$blob', 'b'), tie('tree'), { maxKeys: 3 }),
      ),
    })).tree;
    await fc.assert(
      fc.asyncProperty(fc.array(document, { maxLength: 4 }), async (values) => {
        const plain = JSON.parse(JSON.stringify(values)) as unknown[];
        expect((await roundTrip(plain)).decoded).toEqual(plain);
      }),
      { numRuns: 300 },
    );
  });

  test('a missing value is an error, not a silent null', async () => {
    const encoder = createValueEncoder();
    const text = encoder.encode({ a: long('z') });
    await expect(decodeValues([text], () => Promise.resolve([]))).rejects.toThrow('is missing');
  });
});
