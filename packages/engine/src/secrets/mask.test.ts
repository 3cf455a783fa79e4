import { array, assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base64Encode } from '../expression/values/base64.ts';
import { createMasker } from './mask.ts';

const SECRET = 'sk-live-4f9a8b7c6d5e';

describe('§5.8 output masking', () => {
  it('§5.8: keeps the first 7 characters of a longer value and replaces the rest by **', () => {
    expect(createMasker([SECRET]).mask({ token: SECRET })).toEqual({ token: 'sk-live**' });
  });

  it('§5.8: leaves a value of 7 characters alone and masks one of 8', () => {
    const { mask } = createMasker(['1234567', 'abcdefgh']);
    expect(mask(['1234567', 'abcdefgh'])).toEqual(['1234567', 'abcdefg**']);
  });

  it('masks inside longer texts, in keys and at every depth', () => {
    const { mask } = createMasker([SECRET]);
    const deep = { a: [{ [`x-${SECRET}`]: `Bearer ${SECRET}, twice ${SECRET}` }] };
    expect(mask(deep)).toEqual({ a: [{ 'x-sk-live**': 'Bearer sk-live**, twice sk-live**' }] });
  });

  it('masks what is left of overlapping secrets as one', () => {
    const { maskText } = createMasker(['abcdefgh', 'defghijkl', 'abcdefgh-and-more']);
    expect(maskText('<abcdefghijkl>')).toBe('<abcdefg**>');
    expect(maskText('<abcdefgh-and-more>')).toBe('<abcdefg**>');
  });

  it('masks neighbours one by one', () => {
    expect(createMasker(['aaaaaaaaaX', 'bbbbbbbbbY']).maskText('aaaaaaaaaXbbbbbbbbbY')).toBe(
      'aaaaaaa**bbbbbbb**',
    );
  });

  it('finds URL, JSON and HTML spellings', () => {
    const secret = `p&s<s>"'wörd /+1 2`;
    const { maskText } = createMasker([secret]);
    const spellings = [
      encodeURIComponent(secret),
      encodeURIComponent(secret).toLowerCase().replaceAll('%c3%b6', '%c3%b6'),
      encodeURIComponent(secret).replaceAll('%20', '+'),
      JSON.stringify({ secret }),
      JSON.stringify(JSON.stringify({ secret })),
      'p&s<s>\\"\'w\\u00f6rd /+1 2',
      'p&s<s>\\"\'w\\u00F6rd \\/+1 2',
      JSON.stringify('p&s<s>\\"\'w\\u00f6rd \\/+1 2'),
      `<b>p&amp;s&lt;s&gt;&quot;&#39;wörd /+1 2</b>`,
    ];
    for (const spelling of spellings) expect(maskText(spelling)).toContain('**');
  });

  it('finds base64 and base64url inside longer encoded texts at every alignment', () => {
    const { maskText } = createMasker([SECRET]);
    for (const user of ['', 'a', 'ab', 'abc', 'someone']) {
      const encoded = base64Encode(`${user}:${SECRET}:rest`);
      const masked = maskText(`Basic ${encoded}`);
      expect(masked).toContain('**');
      expect(masked.length).toBeLessThan(`Basic ${encoded}`.length - 12);
    }
    expect(
      createMasker(['????>>>>~~~~']).maskText(
        base64Encode('????>>>>~~~~').replaceAll('+', '-').replaceAll('/', '_'),
      ),
    ).toContain('**');
  });

  it('masks a secret that JSON writes as a number', () => {
    expect(createMasker(['123456789']).mask({ pin: 123456789, other: 12 })).toEqual({
      pin: '1234567**',
      other: 12,
    });
  });

  it('keeps both values of keys that look the same once masked', () => {
    const { mask } = createMasker(['secret-one-a', 'secret-one-b']);
    expect(mask({ 'secret-one-a': 1, 'secret-one-b': 2 })).toEqual({ 'secret-**': 1, 'secret-**_2': 2 });
  });

  it('returns the very same object when nothing matches', () => {
    const value = { a: ['nothing', { here: 1 }] };
    expect(createMasker([SECRET]).mask(value)).toBe(value);
    expect(createMasker([]).mask(value)).toBe(value);
    expect(createMasker(['short']).isEmpty).toBe(true);
  });

  it('goes through data of any depth', () => {
    const text = `${'['.repeat(50_000)}"${SECRET}"${']'.repeat(50_000)}`;
    let deep: unknown = SECRET;
    for (let level = 0; level < 50_000; level++) deep = [deep];
    let masked = createMasker([SECRET]).mask(deep);
    while (Array.isArray(masked)) masked = masked[0];
    expect(masked).toBe('sk-live**');
    expect(text).toContain(SECRET);
  });

  it('keeps keys that could reach a prototype as plain keys', () => {
    const value: unknown = JSON.parse(`{"__proto__": {"x": "${SECRET}"}}`);
    const masked = createMasker([SECRET]).mask(value);
    expect(JSON.stringify(masked)).toBe('{"__proto__":{"x":"sk-live**"}}');
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it.each([
    ['a long run of the only letter of a long secret', ['x'.repeat(10_000)], 'x'.repeat(200_000)],
    ['runs of letters that are almost the secret', ['x'.repeat(10_000)], `${'x'.repeat(9_999)}y`.repeat(20)],
    ['the base64 form of the secret', ['x'.repeat(10_000)], 'eHh4'.repeat(50_000)],
    [
      'the common prefix of a thousand secrets',
      Array.from({ length: 1_000 }, (_, at) => `${'a'.repeat(20)}${at}`),
      'a'.repeat(200_000),
    ],
  ])('§5.8: a secret cannot block the process: %s', (_, secrets, text) => {
    const masker = createMasker(secrets);
    const began = Date.now();
    masker.maskText(text);
    expect(Date.now() - began).toBeLessThan(2_000);
  });

  it('never lets a secret through, regardless of the surrounding text', { timeout: 60_000 }, () => {
    expect.hasAssertions();
    const secret = string({ minLength: 8, maxLength: 40, unit: 'binary' }).filter(
      (text) => !text.includes('*'),
    );
    assert(
      property(
        array(secret, { minLength: 1, maxLength: 4 }),
        string(),
        string(),
        (secrets, before, after) => {
          const hidden = secrets.map((one) => ({ [`${before}${one}`]: [`${after}${one}${before}`] }));
          const masked = JSON.stringify(createMasker(secrets).mask(hidden));
          const shown = secrets.filter((one) => masked.includes(JSON.stringify(one).slice(1, -1)));
          expect(shown).toEqual([]);
        },
      ),
      { numRuns: 200 },
    );
  });
});
