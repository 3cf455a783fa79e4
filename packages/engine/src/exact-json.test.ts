import { assert, bigInt, json, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactJson } from './exact-json.ts';

describe('JSON with large whole numbers', () => {
  it.each([
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['9007199254740992', 9007199254740992],
    ['9007199254740991', 9007199254740991],
    ['1000000000000000000', 1000000000000000000],
    ['1000000000000000000000000', '1000000000000000000000000'],
    ['0.30000000000000004', 0.30000000000000004],
    ['9007199254740993.0', 9007199254740992],
    ['9007199254740993e1', Number('90071992547409930')],
    ['"9007199254740993"', '9007199254740993'],
    ['[1e400, -1.5E+400, 1e308]', ['1e400', '-1.5E+400', 1e308]],
    ['2e308', '2e308'],
    ['{"n":-1e400,"m":[1,2.5e999],"k":\n1E0400}', { n: '-1e400', m: [1, '2.5e999'], k: '1E0400' }],
    ['{"n": 1e-400, "text": "1e400"}', { n: 0, text: '1e400' }],
    [`${'9'.repeat(310)}.5`, `${'9'.repeat(310)}.5`],
    ['"a\\"9007199254740993,"', 'a"9007199254740993,'],
    [
      '[9007199254740993 , {"9007199254740993": 9007199254740995}]',
      ['9007199254740993', { '9007199254740993': '9007199254740995' }],
    ],
  ])('%s keeps its digits', (text, value) => {
    expect(parseExactJson(text)).toEqual(value);
  });

  it.each([
    '{9007199254740993: 1}',
    '{9007199254740993 \n: 1}',
    '09007199254740993',
    '--9007199254740993',
    '+9007199254740993',
    '[9007199254740993',
    '"9007199254740993',
    '"\\',
    '9007199254740993 9007199254740993',
    '9007199254740993n',
    '01e400',
    '1.e400',
    '{1e400: 1}',
  ])('%s is still refused', (text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });

  it('gives every whole number back with the same digits', () => {
    assert(
      property(bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (number) => {
        expect(String((parseExactJson(`[${number}]`) as unknown[])[0])).toBe(String(number));
      }),
    );
  });

  it('reads everything else as JSON.parse does', () => {
    assert(
      property(json(), (text) => {
        expect(parseExactJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('hands its reviver what it read', () => {
    const drop = (key: string, value: unknown) => (key === 'b' ? undefined : value);
    expect(parseExactJson('{"a":9007199254740993,"b":1}', drop)).toEqual({ a: '9007199254740993' });
  });

  it('does not take quadratic time', { timeout: 10_000 }, () => {
    const digits = '9'.repeat(2_000_000);
    expect(parseExactJson(digits)).toBe(digits);
    expect(parseExactJson(`[${'9007199254740993,'.repeat(100_000)}1]`)).toHaveLength(100_001);
  });
});
