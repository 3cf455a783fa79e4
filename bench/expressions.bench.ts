/**
 * Expression evaluations per second on one core, each beside the same work as a compiled JavaScript function in the
 * same run. Run with `npx tsx bench/expressions.ts [milliseconds per case]`.
 */
import {
  compile,
  createScope,
  type ExpressionMode,
  type Scope,
} from '../packages/engine/src/expression/index.ts';

interface Case {
  readonly name: string;
  readonly mode: ExpressionMode;
  readonly text: string;
  /** Body of the comparison function; `values` holds the scope's names. */
  readonly script: string;
}

const CASES: readonly Case[] = [
  {
    name: 'filter of 8 items, length',
    mode: 'value',
    text: '$input.body.items.filter("item.x > 3").length',
    script: 'return values.input.body.items.filter((item) => item.x > 3).length',
  },
  {
    name: 'one path',
    mode: 'value',
    text: '$input.body.name',
    script: 'return values.input.body.name',
  },
  {
    name: 'template of two spans',
    mode: 'template',
    text: 'Hello $a.b and $a.c.',
    script: 'return "Hello " + values.a.b + " and " + values.a.c',
  },
  { name: 'static text', mode: 'template', text: 'Nothing to do', script: 'return "Nothing to do"' },
  {
    name: 'condition',
    mode: 'condition',
    text: '$a.n > 3 && $a.b == "x"',
    script: 'return values.a.n > 3 && values.a.b === "x"',
  },
  {
    name: 'map of 8 items with text',
    mode: 'value',
    text: '$input.body.items.map("item.name + \'!\'").join(", ")',
    script: 'return values.input.body.items.map((item) => item.name + "!").join(", ")',
  },
  {
    name: 'object of three values',
    mode: 'value',
    text: '${"a": $a.b, "n": $a.n + 1, "items": $input.body.items}',
    script: 'return { a: values.a.b, n: values.a.n + 1, items: values.input.body.items }',
  },
];

const durationMs = Number(process.argv[2] ?? 1_000);
const inputs = Array.from({ length: 64 }, (_, round) => buildInput(round));
const scopes = inputs.map(scope);

function buildInput(round: number): Record<string, unknown> {
  const items = Array.from({ length: 8 }, (_, x) => ({ x: (x + round) % 8, name: `item ${x}` }));
  return { input: { body: { items, name: `name ${round}` } }, a: { b: 'x', c: `c${round}`, n: round } };
}

function scope(values: Record<string, unknown>): Scope {
  return createScope({ values, now: Date.now, uuid: () => '0'.repeat(32), random: Math.random });
}

/** Calls per second; the sum of results keeps the work from being optimised away. */
function rate(call: (round: number) => unknown): number {
  let sink = 0;
  const measure = (ms: number): number => {
    const start = performance.now();
    let calls = 0;
    while (performance.now() - start < ms) {
      for (let round = 0; round < 1_000; round++) sink += call(round & 63) === null ? 1 : 0;
      calls += 1_000;
    }
    return (calls / (performance.now() - start)) * 1_000;
  };
  measure(durationMs / 4);
  const best = Math.max(measure(durationMs / 2), measure(durationMs / 2));
  if (sink < 0) throw new Error('unreachable');
  return best;
}

/** White space that no two of some thousand calls share, so that every call parses. */
function blanks(serial: number): string {
  return (serial % 16_384).toString(2).padStart(14, '0').replaceAll('0', ' ').replaceAll('1', '\t');
}

function baseline(script: string): (values: unknown) => unknown {
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- the comparison is exactly what the engine never does
  return new Function('values', script) as (values: unknown) => unknown;
}

const count = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
console.log(
  '| expression | evaluations/s | ratio to a JavaScript function | parsed each time/s |\n|---|---|---|---|',
);
for (const { name, mode, text, script } of CASES) {
  const compiled = compile(text, mode);
  const reference = baseline(script);
  const ours = rate((round) => compiled.evaluate(scopes[round] as Scope));
  const theirs = rate((round) => reference(inputs[round]));
  let serial = 0;
  const fresh = rate((round) => compile(text + blanks(++serial), mode).evaluate(scopes[round] as Scope));
  console.log(`| ${name} | ${count.format(ours)} | ${(ours / theirs).toFixed(3)} | ${count.format(fresh)} |`);
}
