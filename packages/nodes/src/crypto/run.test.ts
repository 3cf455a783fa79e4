import type { JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { implementations } from '../runtime.ts';
import { runNode } from '../testing/run-node.ts';

const run = (data: JsonObject) =>
  runNode('crypto', data, { inputs: { start: { text: 'abc', empty: '', ü: 'ü' } } });

// Hashes of `abc`: FIPS 180-4 and RFC 1321; signatures: RFC 4231 section 4.3 (test case 2).
test.each<[JsonObject, string]>([
  [{}, 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [{ algorithm: 'sha1' }, 'a9993e364706816aba3e25717850c26c9cd0d89d'],
  [{ algorithm: 'md5' }, '900150983cd24fb0d6963f7d28e17f72'],
  [{ encoding: 'base64' }, 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='],
  [{ encoding: 'base64url' }, 'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0'],
  [
    { operation: 'hmac', secret: 'Jefe', value: 'what do ya want for nothing?' },
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
])('%o', async (data, value) => {
  expect(await run(data)).toEqual({ output: { value } });
});

test('random bytes and UUIDs have their form and differ', async () => {
  const values = [];
  for (const data of [
    { operation: 'random', length: '16' },
    { operation: 'random', length: 16 },
    { operation: 'uuid' },
    { operation: 'uuid' },
  ]) {
    const result = await run(data);
    values.push('output' in result ? (result.output as JsonObject)['value'] : undefined);
  }
  expect(values[0]).toMatch(/^[\da-f]{32}$/);
  expect(values[2]).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(new Set(values).size).toBe(4);
});

test.each<[JsonObject, string]>([
  [{ operation: 'hmac', secret: '$start.empty' }, 'secret'],
  [{ operation: 'random', length: 0 }, 'length'],
  [{ algorithm: 'rot13' }, 'algorithm'],
])('%o is refused by the name of its field', async (data, field) => {
  expect(await run(data)).toMatchObject({ failure: { kind: 'params', field } });
});

test('what is drawn is recorded, so that a crash draws no other', () => {
  const { definition } = implementations.get('crypto') ?? {};
  const getEffect = (operation: string) =>
    typeof definition?.effect === 'function' ? definition.effect({ operation }) : undefined;
  expect(['hash', 'hmac', 'random', 'uuid'].map(getEffect)).toEqual(['pure', 'pure', 'read', 'read']);
});
