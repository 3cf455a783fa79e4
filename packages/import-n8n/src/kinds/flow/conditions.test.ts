import { createScope, evaluate, type Json, type JsonObject } from '@millrace/engine';
import { describe, expect, it } from 'vitest';
import { base, one } from '../../testing/converted.ts';

/** Whether a condition is met for that value of a field. */
function isMet(version: number, conditions: JsonObject, x: Json): unknown {
  const { type, settings, lines } = one(base('if'), version, { conditions });
  expect([type, lines]).toEqual(['condition', []]);
  const scope = createScope({
    values: { Before: { x } },
    now: () => 0,
    uuid: () => '',
    random: () => 0,
    timezone: 'Europe/Berlin',
  });
  return evaluate(String(settings['condition']), 'condition', scope);
}

describe('conditions since version 2', () => {
  it.each<[operator: string, x: Json, right: Json, met: boolean]>([
    ['number notEmpty', 5, '', true],
    ['number notEmpty', 0, '', true],
    ['number notEmpty', null, '', false],
    ['number empty', 0, '', false],
    ['number empty', null, '', true],
    ['boolean notEmpty', false, '', true],
    ['boolean empty', false, '', false],
    ['dateTime notEmpty', '2026-01-01', '', true],
    ['string empty', '', '', true],
    ['string notEmpty', 'a', '', true],
    ['string notContains', 'abc', 'd', true],
    ['string notRegex', 'abc', 'b.$', false],
    ['array empty', [], '', true],
    ['array notEmpty', [null], '', true],
    ['array contains', ['a', 'b'], 'b', true],
    ['array lengthGt', ['a', 'b'], '1', true],
    ['object empty', {}, '', true],
    ['object notEmpty', { a: 1 }, '', true],
    ['dateTime equals', '2026-01-01T01:00:00+01:00', '2026-01-01T00:00:00Z', true],
    ['dateTime notEquals', '2026-01-01T01:00:00+01:00', '2026-01-01T00:00:00Z', false],
    ['dateTime equals', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', false],
    ['dateTime afterOrEquals', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z', true],
    ['dateTime beforeOrEquals', '2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00', true],
    ['dateTime beforeOrEquals', '2026-01-02T00:00:00Z', '2026-01-01T01:00:00+01:00', false],
    ['dateTime after', '2026-01-02T00:00:00Z', '2026-01-01', true],
    ['dateTime before', null, '2026-01-01', false],
    ['number gte', 5, '5', true],
    ['number notEquals', 5, 5, false],
    ['boolean equals', true, 'true', true],
    ['boolean false', false, '', true],
    ['boolean false', null, '', true],
    ['boolean false', true, '', false],
    ['string equals', null, '', true],
    ['string equals', null, 'a', false],
    ['string equals', 'a', '={{ $json.none }}', false],
    ['string equals', null, '={{ $json.none + "" }}', true],
    ['string equals', '', '={{ $json.none }}', true],
    ['string notEquals', null, '', false],
    ['string notEquals', '', '={{ $json.none }}', false],
    ['string notEquals', 'a', '', true],
    ['string contains', null, 'a', false],
    ['string notContains', null, 'a', true],
    ['string notStartsWith', null, 'a', true],
    ['string endsWith', null, '={{ $json.none }}', true],
    ['string regex', null, '^$', true],
    ['string exists', null, '', false],
    ['string notEmpty', null, '', false],
    ['dateTime equals', null, '={{ $json.none }}', false],
    ['dateTime notEquals', null, '2026-01-01', false],
    ['dateTime notEquals', '2026-01-01', '={{ $json.none }}', false],
  ])('%s of %j and %j', (operator, x, rightValue, met) => {
    const [type = '', operation = ''] = operator.split(' ');
    const conditions = {
      options: { caseSensitive: true, typeValidation: 'strict' },
      conditions: [{ leftValue: '={{ $json.x }}', rightValue, operator: { type, operation } }],
      combinator: 'and',
    };
    expect(isMet(2.2, conditions, x)).toBe(met);
  });
});

describe('conditions that convert types', () => {
  const conditionsWith = (operator: string, rightValue: Json, options: JsonObject): JsonObject => {
    const [type = '', operation = ''] = operator.split(' ');
    return {
      options: { caseSensitive: true, typeValidation: 'loose', version: 2, ...options },
      conditions: [{ leftValue: '={{ $json.x }}', rightValue, operator: { type, operation } }],
      combinator: 'and',
    };
  };

  it.each<[operator: string, x: Json, right: Json, met: boolean]>([
    ['string equals', 31, '31', true],
    ['string equals', 31, 31, true],
    ['string equals', '31', 31, true],
    ['string notEquals', 31, '31', false],
    ['string equals', true, 'true', true],
    ['string equals', null, '', true],
    ['string equals', null, 'null', false],
    ['string contains', 31, '3', true],
    ['string notContains', 31, '3', false],
    ['string startsWith', 31, '={{ 3 }}', true],
    ['string regex', 31, '^\\d+$', true],
    ['string exists', 31, '', true],
    ['string exists', null, '', false],
    ['number gt', '31', 30, true],
    ['number equals', '31', '31', true],
    ['number equals', true, 1, true],
    ['boolean true', 'true', '', true],
    ['boolean true', 'FALSE', '', false],
    ['boolean true', '0', '', false],
    ['boolean true', 1, '', true],
    ['boolean true', 0, '', false],
    ['boolean true', 'yes', '', true],
    ['boolean true', '', '', false],
    ['boolean true', [], '', false],
    ['boolean true', null, '', false],
    ['boolean false', 'false', '', true],
    ['boolean false', null, '', true],
    ['boolean equals', 'true', true, true],
    ['boolean equals', 'false', 'false', true],
    ['boolean notEquals', 1, 'true', false],
  ])('%s of %j and %j', (operator, x, right, met) => {
    expect(isMet(2.2, conditionsWith(operator, right, {}), x)).toBe(met);
  });

  it('reads every text that is not empty as true in the first version of conditions', () => {
    const conditions = conditionsWith('boolean true', '', { version: 1 });
    expect([isMet(2, conditions, 'false'), isMet(2, conditions, '')]).toEqual([true, false]);
  });

  it('ignores case together with conversion', () => {
    const equals = conditionsWith('string equals', 'TRUE', { caseSensitive: false });
    expect(isMet(2.2, equals, true)).toBe(true);
  });

  it('lowers a text but not the pattern that it is tested with when case is ignored', () => {
    const strict = { caseSensitive: false, typeValidation: 'strict' };
    expect(isMet(2.2, conditionsWith('string regex', '^abc', strict), 'ABCD')).toBe(true);
    expect(isMet(2.2, conditionsWith('string regex', '^ABC', strict), 'ABCD')).toBe(false);
    expect(isMet(2.2, conditionsWith('string notRegex', '^ABC', strict), 'ABCD')).toBe(true);
  });
});

describe('conditions of version 1', () => {
  it.each<[operator: string, x: Json, right: Json, met: boolean]>([
    ['number isNotEmpty', 5, '', true],
    ['number isEmpty', 5, '', false],
    ['string isEmpty', '', '', true],
    ['dateTime after', '2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z', true],
    ['boolean notEqual', true, false, true],
  ])('%s of %j and %j', (operator, x, value2, met) => {
    const [type = '', operation = ''] = operator.split(' ');
    expect(isMet(1, { [type]: [{ value1: '={{ $json.x }}', operation, value2 }] }, x)).toBe(met);
  });
});
