import { describe, expect, it } from 'vitest';
import {
  compile,
  createScope,
  ExpressionError,
  type ExpressionMode,
  evaluate,
  MAX_EXPRESSION_LENGTH,
} from '../index.ts';
import { captureOutcome } from './sandbox.ts';

const big = 'a'.repeat(1_000_000);
const numbers = Array.from({ length: 200_000 }, (_, index) => index);
const objects = Array.from({ length: 50_000 }, (_, index) => ({
  id: index % 7,
  name: `n${index}`,
  deep: { x: [index] },
}));
const mixed = Array.from({ length: 100_000 }, (_, index) => (index % 2 === 0 ? index : String(index)));
const deep = Array.from({ length: 5_000 }).reduce<unknown>((inner) => [inner], 1);
const values = {
  big,
  numbers,
  objects,
  mixed,
  deep,
  ab: 'ab'.repeat(50_000),
  emoji: '😀'.repeat(200_000),
  s: 'Hello',
  l: [1, 2, 3],
};
const scope = createScope({
  values,
  now: () => 0,
  uuid: () => '0'.repeat(32),
  random: () => 0.5,
  timezone: 'America/New_York',
});

/** `[[x0,x0] for x0 in [[x1,x1] for x1 in … ]]`: twice the size with every level. */
function doubling(levels: number): string {
  const heads = Array.from({ length: levels }, (_, level) => `[[x${level},x${level}] for x${level} in `);
  return `${heads.join('')}[1]${']'.repeat(levels)}`;
}

/** Milliseconds; wide, for a machine that does much else. On a quiet core these take about 100 at most, without budgets minutes. */
const LIMIT_MS = 4_000;

const HEAVY: readonly (readonly [mode: ExpressionMode, text: string])[] = [
  ['raw', '$[x for x in range(0, 3000000)]'],
  ['raw', '$[y for x in range(0, 2000) for y in range(0, 2000)]'],
  ['raw', '$sum(1 for x in numbers for y in numbers)'],
  ['raw', '$[("x" * 100000) for x in range(0, 100000)]'],
  ['raw', '$[big for x in range(0, 100000)]'],
  ['raw', '$[[objects for x in range(0, 1000)] for y in range(0, 1000)]'],
  ['raw', '$big.replace("a", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb")'],
  ['raw', '$big.replace("", "xx")'],
  ['raw', '$big.split("").join("xxxxxxxxxxxxxxxxxxxxxxxxx")'],
  ['raw', '$numbers.map("big + big")'],
  ['raw', '$numbers.map("item > \'a\'")'],
  ['raw', '$mixed.sort()'],
  ['raw', '$numbers.filter("numbers.contains(item)")'],
  ['raw', '$objects.map("objects.distinct()")'],
  ['raw', '$[objects.contains({"id": 99}) for x in numbers]'],
  ['raw', '$big.regexReplace("(a*)*b", "")'],
  ['raw', '$big.regexReplace("(?i)(\\\\pL{10}){50}!", "")'],
  ['raw', '$ab.regexReplace("(a.*z)|b", "")'],
  ['raw', '$ab.regexReplace("((a.*)*z)|b", "")'],
  ['raw', '$big.regexReplace("(a?){30}a{30}", "")'],
  ['raw', '$["x".regexReplace("\\\\pL{900}" + str(i), "") for i in range(0, 1000)]'],
  ['raw', '$[s.regexReplace("[a-z]+", "x") for i in range(0, 100000)]'],
  ['raw', '$[big.hash() for x in range(0, 100)]'],
  ['raw', '$[emoji[5] for x in range(0, 10000)]'],
  ['raw', '$[big[1:5] for x in range(0, 100000)]'],
  ['raw', '$[now.addDays(x) for x in numbers]'],
  ['raw', '$[now.format("YYYYMMDD" * 1000) for x in numbers]'],
  ['raw', '$[str(objects) for x in range(0, 100)]'],
  ['template', '$objects'.repeat(1_000)],
  ['template', '$big'.repeat(1_000)],
  ['template', '$a('.repeat(100_000)],
  ['template', '$a'.repeat(200_000)],
  ['raw', `$(${'('.repeat(4_000)}1${')'.repeat(4_000)})`],
  ['raw', `$(1${'+1'.repeat(4_900)})`],
  ['raw', `$(${'not '.repeat(2_400)}1)`],
  ['raw', `$s${'[0]'.repeat(3_000)}`],
  ['raw', doubling(60).replace('[', '$[')],
  ['raw', `$${doubling(60)}.toString().length`],
  ['raw', `$${doubling(60)}.flat(200)`],
  ['raw', `$(${doubling(40)} == ${doubling(40)})`],
  ['raw', '$[l.join(big) for x in numbers]'],
  ['raw', `$concat(${'big, '.repeat(1_000)}big)`],
  ['raw', '$[big == big + "" for x in numbers]'],
  ['raw', '${str(x): x for x in range(0, 1000000)}'],
  ['raw', '$[l.map("i" + "tem" + " + 1" * 300) for x in numbers]'],
];

describe('budgets', () => {
  for (const [mode, text] of HEAVY) {
    it(`ends in time: ${text.slice(0, 60)}`, () => {
      const run = (): number => {
        const started = Date.now();
        captureOutcome(() => evaluate(text, mode, scope));
        return Date.now() - started;
      };
      expect(Math.min(run(), run())).toBeLessThan(LIMIT_MS);
    });
  }

  it('keeps what deep data there is from overflowing the stack', () => {
    for (const text of [
      '$deep.toString()',
      '$[deep]',
      '$deep == [deep]',
      '$[deep].distinct()',
      '$deep.flat(99999)',
    ]) {
      const outcome = captureOutcome(() => evaluate(text, 'raw', scope));
      expect(['too_deep', undefined]).toContain('error' in outcome ? outcome.error : undefined);
    }
    expect(() => evaluate('$[deep]', 'raw', scope)).toThrow(ExpressionError);
  });

  it('lets ordinary work on large data through', () => {
    expect(evaluate('$numbers.filter("item > 10").length', 'raw', scope)).toBe(199_989);
    expect(evaluate('$objects.map("item.name").take(2)', 'raw', scope)).toEqual(['n0', 'n1']);
    expect(evaluate('$sum(numbers)', 'raw', scope)).toBe(19_999_900_000);
    expect(String(evaluate('Text: $big', 'template', scope))).toHaveLength(1_000_006);
    expect(evaluate('$big.upper().length', 'raw', scope)).toBe(1_000_000);
    expect(evaluate('$objects.distinctBy("item.id").length', 'raw', scope)).toBe(7);
  });

  it('counts work, not time: the same expression over the same data always ends the same way', () => {
    const text = '$[s.regexReplace("[a-z]+" + str(i), "x") for i in range(0, 100000)]';
    const codes = [1, 2, 3].map(() => captureOutcome(() => evaluate(text, 'raw', scope)));
    expect(codes).toEqual([{ error: 'budget' }, { error: 'budget' }, { error: 'budget' }]);
  });

  it.each(['-1000000000', '-1e11', '0 / 1'])('gives no work back for an indent of %s', (indent) => {
    const text = `$array(toJsonText([[1]], ${indent}), len([1 for a in range(0, 3000) for b in range(0, 3000)]))`;
    expect(captureOutcome(() => evaluate(text, 'raw', scope))).toEqual({ error: 'budget' });
  });

  it('refuses an expression, but not a template, above the length limit', () => {
    const long = `$s.replace("x", "${'y'.repeat(MAX_EXPRESSION_LENGTH)}")`;
    expect(() => evaluate(long, 'value', scope)).toThrow(/at most 10000 characters/);
    expect(compile(long, 'value').problems[0]?.code).toBe('too_long');
    expect(evaluate(`${'y'.repeat(50_000)} $s`, 'template', scope)).toBe(`${'y'.repeat(50_000)} Hello`);
    expect(evaluate(`${'y'.repeat(50_000)} $s`, 'value', scope)).toBe(`${'y'.repeat(50_000)} Hello`);
  });

  it('fails the node with a code and a message that says what to do', () => {
    expect(() => evaluate('$[x for x in range(0, 3000000)]', 'raw', scope)).toThrow(
      expect.objectContaining({ code: 'budget', message: expect.stringContaining('Process less data') }),
    );
  });
});
