import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createFernetKey,
  createKeyring,
  deriveFernetKey,
  FernetError,
  fernetOpen,
  fernetSeal,
} from './fernet.ts';

const counting = Buffer.from(Array.from({ length: 16 }, (_, index) => index));
const key = deriveFernetKey('one secret');
const now_ms = 1_700_000_000_000;

describe('the published Fernet vectors', () => {
  const vectorKey = createFernetKey(Buffer.from('cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4=', 'base64url'));
  const token =
    'gAAAAAAdwJ6wAAECAwQFBgcICQoLDA0ODy021cpGVWKZ_eEwCGM4BLLF_5CV9dOPmrhuVUPgJobwOz7JcbmrR64jVmpU4IwqDA==';

  test('sealing gives the published token', () => {
    const options = { now_ms: Date.parse('1985-10-26T01:20:00-07:00'), iv: counting };
    expect(fernetSeal(vectorKey, 'hello', options)).toBe(token);
  });
  test('opening gives the published text', () => {
    expect(fernetOpen(vectorKey, token)).toBe('hello');
  });
});

describe('tokens made by another implementation from SHA-256 of the same setting', () => {
  const shared = deriveFernetKey('a secret with ünïcode');

  test('are read', () => {
    const token =
      'gAAAAABlU_EAb-7H5ir3kNsNGSTEoV9SH6MUZmE9MU2SOxsrDsyR5nVy3YNHoq73DuZBxSJbnwbifmZuiJx1521acw_lEJtJfkZNwvkVRUJ5RJXadHOEASrXW6Uj5WtkflRafo4FaZPl';
    expect(JSON.parse(fernetOpen(shared, token))).toEqual({ api_key: 'sk-ünï-1' });
  });
  test.each([
    [
      'é',
      'gAAAAABlU_EBAAECAwQFBgcICQoLDA0OD_nGnHV_KsQJ2t3FmLe3mBbO7q_Yj7NgSkc2UvpNCW3risVKCy-ky-V6F4bdBnXCIg==',
    ],
    [
      '',
      'gAAAAABlU_EBAAECAwQFBgcICQoLDA0OD3LXKQG08_EFzDFeDHp87EfdmhFJYilGRPcHkIvsyvwgALyeqlAe8ZtJtseEC4sSRA==',
    ],
  ])('are written byte for byte: %j', (text, token) => {
    expect(fernetSeal(shared, text, { now_ms: 1_700_000_001_000, iv: counting })).toBe(token);
  });
});

test('any text comes back as it went in', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      (text) => fernetOpen(key, fernetSeal(key, text, { now_ms })) === text,
    ),
  );
});

test('two tokens of the same text differ', () => {
  expect(fernetSeal(key, 'same', { now_ms })).not.toBe(fernetSeal(key, 'same', { now_ms }));
});

test('a token with any single bit flipped is refused', () => {
  const token = Buffer.from(fernetSeal(key, 'a text of some length', { now_ms }), 'base64url');
  fc.assert(
    fc.property(fc.nat(token.length * 8 - 1), (bit) => {
      const broken = Buffer.from(token);
      broken.writeUInt8((broken[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3);
      const text = broken.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
      expect(() => fernetOpen(key, text)).toThrow(FernetError);
    }),
  );
});

test('anything that is not a token is refused with the same error', () => {
  const refused = (token: string) => {
    expect(() => fernetOpen(key, token)).toThrow(FernetError);
  };
  fc.assert(fc.property(fc.string(), (text) => refused(text)));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) =>
      refused(Buffer.from([0x80, ...bytes]).toString('base64url')),
    ),
  );
});

describe('a keyring', () => {
  const before = createKeyring(['old secret']);
  const after = createKeyring(['new secret', 'old secret']);

  test('opens what a former key sealed, with and without its id', () => {
    const token = before.seal('kept', now_ms);
    expect(after.open(token, before.current_id)).toBe('kept');
    expect(after.open(token)).toBe('kept');
    expect(after.open(token, 'an unknown id')).toBe('kept');
  });
  test('seals with the current key only', () => {
    expect(() => before.open(after.seal('new', now_ms))).toThrow(FernetError);
  });
  test('knows its keys by id', () => {
    expect(after.has(before.current_id)).toBe(true);
    expect(before.has(after.current_id)).toBe(false);
  });
  test('a key id does not depend on anything but the secret and does not hold it', () => {
    expect(createKeyring(['old secret']).current_id).toBe(before.current_id);
    expect(before.current_id).toMatch(/^[0-9a-f]{16}$/);
  });
  test('without keys cannot be made', () => {
    expect(() => createKeyring([])).toThrow('no encryption key');
  });
});
