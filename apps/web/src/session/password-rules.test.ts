import { password } from '@millrace/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { metRules, PASSWORD_RULES } from './password-rules.ts';

describe('§5.4 password hints', () => {
  it('tick all rules exactly when the server takes the password', () => {
    const character = fc.constantFrom(...'aAzZ09 ß€!é中');
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 14 }), (text) => {
        const met = metRules(text);
        expect(PASSWORD_RULES.every((rule) => met[rule])).toBe(password.safeParse(text).success);
      }),
    );
  });

  it.each([
    ['Short1', { length: false, upper: true, lower: true, digit: true }],
    ['lowercase1', { length: true, upper: false, lower: true, digit: true }],
    ['UPPERCASE1', { length: true, upper: true, lower: false, digit: true }],
    ['NoDigitsHere', { length: true, upper: true, lower: true, digit: false }],
    ['ÄÖÜäöü12', { length: true, upper: false, lower: false, digit: true }],
  ])('reads %s', (text, met) => {
    expect(metRules(text)).toEqual(met);
  });
});
