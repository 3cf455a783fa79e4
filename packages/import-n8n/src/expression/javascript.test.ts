import { runInThisContext } from 'node:vm';
import { createScope, evaluate } from '@millrace/engine';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { dataNames as names } from '../testing/data-names.ts';
import { valueText } from './field.ts';

/** Scripts of JavaScript alone, so that JavaScript says what is right. */
const scripts = [
  '$json.n.toFixed(2)',
  '$json.n.toFixed(0)',
  '($json.n * 3.7).toFixed(1)',
  '$json.i.toString().padStart(6, "0")',
  '$json.s.padEnd(5, "ab")',
  '$json.s.repeat(2)',
  '$json.s.trimStart()',
  '$json.s.trim("/")',
  'new Date(new Date(1e12).setDate(35)).toISOString()',
  'new Date(1e12).setDate($json.i)',
  'new Date(1e12).setDate($json.n / 9)',
  'new Date(1e12).setDate(1.7)',
  'new Date(1e12).setHours(7, 30)',
  '(() => { const d = new Date(1e12); const move = 3; if ($json.i > 500) { const e = new Date(d); e.setDate(move); return e.getTime(); } d.setDate(move); return d.getTime(); })()',
  '$json.o.map(x => { const d = new Date(1e12); d.setDate(d.getDate() + x.q.length); return d.getTime(); })',
  '$json.s.substring(1, $json.missing)',
  '$json.s.substring("1", "3")',
  '$json.s.substring($json.q, $json.q)',
  '$json.s.substring($json.q, 2)',
  '$json.s.substring(1, $json.q)',
  '$json.s.substring(1, $json.i - 4)',
  '$json.s.substring(1, undefined)',
  '$json.s.substring(1, parseInt($json.s))',
  '$json.s.indexOf("a", 2)',
  '$json.l.concat($json.l).indexOf($json.l[0], 1)',
  '$json.w.join(undefined)',
  '(() => { const d = new Date(1e12); d.setDate(d.getDate() - 20); return d.toISOString(); })()',
  '(() => { const a = new Date(1e12); const b = new Date(a); b.setHours(0, 0, 0, 0); return [a.getHours(), b.getHours()]; })()',
  '$json.s.trimEnd()',
  '$json.s.normalize("NFD")',
  String.raw`$json.s.split(/\s+/)`,
  String.raw`$json.s.split(/[,;]\s*/)`,
  String.raw`$json.s.match(/[a-c]+/g)`,
  String.raw`$json.s.match(/\w/g)`,
  String.raw`$json.s.search(/[b ]/)`,
  String.raw`$json.s.replace(/\s/g, "_")`,
  String.raw`$json.s.replace(/\S+/g, "w")`,
  String.raw`$json.s.replace(/[^a-z\s]/gi, "")`,
  'isNaN($json.s)',
  'isNaN($json.n)',
  'Number.isInteger($json.n)',
  'Number.isInteger($json.i)',
  'typeof $json.s === "string"',
  'typeof $json.l === "object"',
  '$json.l.map((x, i) => x * i)',
  '$json.l.filter((x, i) => i % 2 === 0)',
  '$json.l.filter((x) => x > 1)',
  '$json.l.reduce((a, b) => a + b, 0)',
  '$json.l.reduce((a, b) => a + b * 2, 1)',
  '$json.l.reduce((a, b) => Math.max(a, b), 0)',
  '$json.l.slice().sort((a, b) => a - b)',
  '$json.l.slice().sort((a, b) => b - a)',
  '$json.l.slice().sort()',
  '$json.w.slice().sort()',
  '$json.w.slice().sort((a, b) => a.localeCompare(b))',
  '$json.w.slice().sort((a, b) => b.localeCompare(a))',
  '$json.o.slice().sort((a, b) => a.p - b.p).map(x => x.q)',
  '$json.o.slice().sort((a, b) => b.p - a.p).map(x => x.q)',
  '$json.o.slice().sort((a, b) => a.q.localeCompare(b.q))',
  '[...new Set($json.l)]',
  '[...new Set($json.w)]',
  'Array.from({length: $json.u}, (_, i) => i * 2)',
  'Array.from(new Set($json.w))',
  '$json.o.map(({p, q}) => p + q)',
  '$json.o.reduce((a, {p}) => a + p, 0)',
  '$json.o.findIndex(x => x.p > 2)',
  '$json.o.flatMap(x => [x.p, x.q])',
  'Object.entries($json.m).map(([k, v]) => k + "=" + v).join("&")',
  'Object.keys($json.m)',
  'Object.values($json.m)',
  'Object.fromEntries($json.o.map(x => [x.q, x.p]))',
  'Object.assign({}, $json.m, {a: 1})',
  '({z: 1, ...$json.m, y: $json.n})',
  '({...$json.m, ["k" + $json.i]: 2})',
  '(() => { const x = $json.n; const y = x * 2; if (y > 3) { return "a" } else if (y < 0) return "b"; return y })()',
  '$json.o.map(i => $json.w.map(x => i.q + x).join())',
  '$json.o.map(i => { const z = i.p * 2; return $json.w.filter(x => x.length < z).length })',
  'Math.max(...$json.l, )',
  '$json.l.map(String)',
  '$json.w.filter(Boolean)',
  '$json.o.map(i => ({...i, r: i.p + 1}))',
  'Math.round($json.n * 100) / 100',
  '$json.n.toLocaleString("en-US")',
  '$json.n.toLocaleString("de-DE", {minimumFractionDigits: 2, maximumFractionDigits: 2})',
  'new Date($json.i * 31e6).toLocaleDateString()',
  'new Date($json.i * 31e6).toLocaleTimeString()',
  'new Date($json.i * 31e6).toLocaleString()',
  'new Date($json.i * 31e6).toLocaleDateString(undefined, { month: "long", year: "numeric" })',
  'new Date($json.i * 31e6).toLocaleDateString([], { weekday: "short" })',
  'new Date($json.i * 31e6).toLocaleDateString("en-US", { weekday: "long", year: "numeric", month: "long", day: "numeric" })',
  'new Date($json.i * 31e6).toLocaleDateString("de-DE", { weekday: "long", day: "2-digit", month: "long" })',
  'new Date($json.i * 31e6).toLocaleDateString("en-GB", { dateStyle: "medium" })',
  'new Date($json.i * 31e6).toLocaleDateString("en-GB", { hour: "2-digit" })',
  'new Date($json.i * 31e6).toLocaleDateString("fr-FR", { timeZoneName: "short" })',
  'new Date($json.i * 31e6).toLocaleTimeString("en-US", { hour: "2-digit", minute: "2-digit" })',
  'new Date($json.i * 31e6).toLocaleTimeString("de-DE", { timeStyle: "short" })',
  'new Date($json.i * 31e6).toLocaleTimeString("en-GB", { year: "numeric" })',
  'new Date($json.i * 31e6).toLocaleString("en-US", { timeZone: "America/New_York" })',
  'new Date($json.i * 31e6).toLocaleString("de-DE", { dateStyle: "short", timeStyle: "short", timeZone: "Europe/Berlin" })',
  'new Date($json.i * 31e6).toLocaleString("en-US", { month: "short" })',
  'new Date($json.i * 31e6).toLocaleString("sv-SE", { hour12: false, timeZone: "Asia/Kolkata" })',
  'new Date($json.i * 31e6).toLocaleString("pl-PL")',
  '$json.w.findLast(x => x.length > 1)',
  'Math.pow($json.n, 2)',
];

const number = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }),
  fc.integer({ min: -1e9, max: 1e9 }).map((thousandths) => thousandths / 1000),
  fc.constantFrom(0.5, 1.5, 2.5, -2.5, 1.005, 8.345, 0),
);
const word = fc.string({ maxLength: 6, unit: fc.constantFrom(...'abcABäéß-_ 12,;.\u00A0\n') });
const anyData = fc.record({
  n: number,
  i: fc.integer({ min: 0, max: 99_999 }),
  u: fc.integer({ min: 0, max: 9 }),
  s: word,
  q: fc.constantFrom('0', '2', '4.5', '-1', 'x', ''),
  l: fc.array(number, { maxLength: 6 }),
  w: fc.array(word, { maxLength: 6 }),
  o: fc.array(fc.record({ p: number, q: word }), { maxLength: 5 }),
  m: fc.dictionary(fc.constantFrom('a', 'b', 'keys', 'values', 'x y', 'map'), number),
});

/** As n8n hands it on: undefined and what is no number are null, and zero has no sign. */
const toJson = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null), (_, held: unknown) => (held === 0 ? 0 : held));

it.each(scripts)('%s is what JavaScript makes of it', (script) => {
  const text = valueText(`={{ ${script} }}`, names);
  const run = runInThisContext(`($json) => (${script})`) as (data: unknown) => unknown;
  fc.assert(
    fc.property(anyData, (generated) => {
      const data = toJson(generated) as Record<string, unknown>;
      const scope = createScope({ values: { data }, now: () => 0, uuid: () => '', random: () => 0.5 });
      const result = evaluate(text, 'value', scope);
      expect(JSON.stringify(toJson(result))).toBe(JSON.stringify(toJson(run(data))));
    }),
    { numRuns: 60 },
  );
});
