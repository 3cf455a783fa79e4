import { describe, expect, it } from 'vitest';
import {
  CASE_NOW,
  CASE_RANDOM,
  CASE_TIMEZONE,
  CASE_UUID,
  cases,
  type ExpressionCase,
  isExpectedError,
} from '../cases.ts';
import { createScope, ExpressionError, evaluate } from '../index.ts';

function outcome([mode, text, values]: ExpressionCase): unknown {
  const scope = createScope({
    values,
    now: () => CASE_NOW,
    uuid: () => CASE_UUID,
    random: () => CASE_RANDOM,
    timezone: CASE_TIMEZONE,
  });
  try {
    return evaluate(text, mode, scope);
  } catch (error) {
    if (error instanceof ExpressionError) return { error: error.code };
    throw error;
  }
}

describe('golden table', () => {
  for (const group of cases) {
    describe(`${group.section}: ${group.title}`, () => {
      for (const row of group.cases) {
        const [mode, text, , expected, note = ''] = row;
        it(`${mode}: ${text.slice(0, 80)} ${note}`, () => {
          const found = outcome(row);
          expect(found).toEqual(expected);
          expect(isExpectedError(expected)).toBe(isExpectedError(found));
        });
      }
    });
  }

  it('has at least 350 rows, and every row is there once per set of values', () => {
    const rows = cases.flatMap((group) => group.cases);
    const distinct = new Set(rows.map(([mode, text, values]) => JSON.stringify([mode, text, values])));
    expect(distinct.size).toBe(rows.length);
    expect(rows.length).toBeGreaterThanOrEqual(350);
  });
});
