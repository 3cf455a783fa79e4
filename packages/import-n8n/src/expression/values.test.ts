import { createScope, evaluate } from '@millrace/engine';
import { describe, expect, it } from 'vitest';
import { dataNames as names } from '../testing/data-names.ts';
import { toCode, valueText } from './field.ts';
import { access, type Names } from './value.ts';

const data = {
  n: 5,
  half: 2.5,
  price: 1234.5,
  text: 'one two\u00A0 three',
  mixed: 'a1b22',
  digits: '12',
  yes: true,
  empty: '',
  none: [],
  nothing: null,
  list: ['b', 'a', 'b'],
  counts: [10, 9, -1, 100],
  words: ['b', 'Ä', 'a', 'B'],
  items: [
    { id: 1, name: 'pen', price: 2, tags: ['x', 'y'], keys: 'k' },
    { id: 2, name: 'Ink', price: 10, tags: [] },
    { id: 1, name: 'cap', price: null },
  ],
  holder: { values: [1], keys: 'k', name: 'Ada' },
  html: '<b class="x">Hi</b> you<br',
  rows: [{ x: 2 }, { x: 1 }],
};

const scope = createScope({
  values: { data, workflowPath: '/workflows/42' },
  now: () => 0,
  uuid: () => '',
  random: () => 0.5,
});

type Row = readonly [script: string, result: unknown];
const results = (script: string): unknown => evaluate(valueText(`={{ ${script} }}`, names), 'value', scope);
const check = (rows: readonly Row[]): void =>
  it.each(rows)('%s', (script, result) => {
    expect(results(script)).toEqual(result);
  });

describe('what is more, where a value is missing', () => {
  check([
    ["$json.nothing > 0 ? 'yes' : 'no'", 'no'],
    // Of null n8n says yes; a field that is not there and null are the same here.
    ["$json.nothing < 1 ? 'yes' : 'no'", 'no'],
    ["$json.gone < 5 ? 'yes' : 'no'", 'no'],
    ["$json.text < 5 ? 'yes' : 'no'", 'no'],
    ["parseInt($json.text) > -1 ? 'yes' : 'no'", 'no'],
    ["Number($json.text) <= 0 ? 'yes' : 'no'", 'no'],
    ["$json.gone > $json.text ? 'yes' : 'no'", 'no'],
    ["new Date($json.gone) > new Date('2026-01-01') ? 'yes' : 'no'", 'no'],
    ["$json.text.trim() > 5 ? 'yes' : 'no'", 'no'],
    ["$json.text.trim() < Number($json.nothing) ? 'yes' : 'no'", 'no'],
    ["$json.digits.trim() > 5 ? 'yes' : 'no'", 'yes'],
    ["$json.digits > 5 ? 'yes' : 'no'", 'yes'],
    ["$json.n > 3 && $json.half < 3 ? 'yes' : 'no'", 'yes'],
    ["!($json.gone > 3) ? 'yes' : 'no'", 'yes'],
    ['$json.items.filter(i => i.name < 5).length', 0],
    ["Number($json.nothing) >= 1 ? 'yes' : 'no'", 'no'],
    ["parseInt($json.text) > 0 ? 'yes' : 'no'", 'no'],
    ["$json.nothing?.length > 0 ? 'yes' : 'no'", 'no'],
    ["$json.nothing > $json.n ? 'yes' : 'no'", 'no'],
    ["$json.nothing > 'a' ? 'yes' : 'no'", 'no'],
    ["$json.nothing < 'a' ? 'yes' : 'no'", 'no'],
    ["'a' >= $json.nothing ? 'yes' : 'no'", 'no'],
    ["$json.text >= 'one' ? 'yes' : 'no'", 'yes'],
    ['$json.items.map(i => i.price > 5)', [false, true, false]],
  ]);

  it('adds nothing where a number is known', () => {
    expect(valueText('={{ $json.list.length > 2 }}', names)).toBe('$(data.list.length > 2)');
    expect(valueText('={{ 1 < 2 }}', names)).toBe('$(1 < 2)');
  });
});

describe('numbers', () => {
  check([
    ['$json.half.toFixed(2)', '2.50'],
    ['$json.half.toFixed()', '3'],
    ['(1.005).toFixed(2)', '1.00'],
    ['(-1.5).toFixed(0)', '-2'],
    ['($json.n * 1.19).toFixed(2)', '5.95'],
    ['Number("x").toFixed(2)', null],
    ['$json.half.toFixed(1) + "€"', '2.5€'],
    ['$json.half.round()', 3],
    ['(1.005).round(2)', 1],
    ['(-2.5).round()', -3],
    ['(2.345).round(1)', 2.3],
    ['$json.half.ceil()', 3],
    ['(-2.5).ceil()', -2],
    ['(-2.5).floor()', -3],
    ['$json.n.isEven()', false],
    ['$json.n.isOdd()', true],
    ['$json.half.isOdd()', null],
    ['Math.round(1.255 * 100) / 100', 1.25],
    ['Math.pow(2, $json.n)', 32],
    ['Math.max(...$json.counts)', 100],
    ['Math.min(...$json.items.map(i => i.id), )', 1],
    ['Math.max(...$json.none)', null],
    ['Math.max(...["3", 12])', 12],
    ['$json.price.format()', '1,234.5'],
    ["$json.price.toLocaleString('de-DE', { minimumFractionDigits: 2 })", '1.234,50'],
    ["$json.price.toLocaleString('en-US', { style: 'currency', currency: 'USD' })", '$1,234.50'],
    ["$json.digits.toLocaleString('en-US')", '12'],
    ["$json.price.format('de-DE')", '1.234,5'],
    ['$json.digits.format()', null],
    ['$json.price.format() + "!"', '1,234.5!'],
    ['isNaN($json.n)', false],
    ['isNaN("x")', true],
    ['isNaN("")', false],
    ['isNaN($json.digits)', false],
    ['isNaN($json.missing)', true],
    ['Number.isNaN(parseInt("x"))', true],
    ['Number.isInteger($json.n)', true],
    ['Number.isInteger($json.half)', false],
    ['Number.isInteger($json.digits)', false],
    ['$json.digits.isNumeric()', true],
    ['$json.text.isNumeric()', false],
    ['$json.empty.isNumeric()', false],
  ]);
});

describe('texts', () => {
  check([
    ['$json.n.toString().padStart(3, "0")', '005'],
    ['$json.digits.padEnd(4)', '12  '],
    ['$json.digits.padStart("3", 0)', '012'],
    ['$json.mixed.substring(1, 3)', '1b'],
    ['$json.mixed.substring(3, 1)', '1b'],
    ['$json.mixed.substring(-3)', 'a1b22'],
    ['$json.mixed.substring(2, -1)', 'a1'],
    ['$json.mixed.substring(0, $json.mixed.indexOf("z"))', ''],
    ['$json.mixed.substring($json.half)', 'b22'],
    ['$json.mixed.substring($json.missing)', 'a1b22'],
    ['"ab".repeat($json.n - 3)', 'abab'],
    [String.raw`"Café".normalize("NFD").replace(/[\u0300-\u036f]/g, "")`, 'Cafe'],
    ['"e\u0301".normalize()', 'é'],
    ['" a b \u00A0".trimEnd()', ' a b'],
    ['" a b ".trimStart()', 'a b '],
    ['"No".toBoolean()', false],
    ['"0".toBoolean()', false],
    ['"off".toBoolean()', true],
    ['$json.n.toBoolean()', true],
    ['$json.empty.toBoolean()', false],
    ['$json.missing.toBoolean()', false],
    [String.raw`$json.text.split(/\s+/)`, ['one', 'two', 'three']],
    [String.raw`$json.text.trim().split(/\s+/).length`, 3],
    [String.raw`"".split(/\s+/)`, ['']],
    ['"a,b;c".split(/[,;]/)', ['a', 'b', 'c']],
    [String.raw`$json.text.replace(/\s/g, "_")`, 'one_two__three'],
    [String.raw`$json.text.replace(/[^\s]+/g, "w")`, 'w w\u00A0 w'],
    [String.raw`$json.text.replace(/\S+/g, "w")`, 'w w\u00A0 w'],
    [String.raw`"a\nb".replace(/a[\s\S]b/, "c")`, 'c'],
    ['$json.text.search("two")', 4],
    ['$json.text.search(/t.r/)', 9],
    ['$json.text.search("z")', -1],
    [String.raw`$json.mixed.match(/\d+/g)`, ['1', '22']],
    [String.raw`$json.mixed.match(/\d+/g)[1]`, '22'],
    ['$json.mixed.match(/z/g)', null],
    ['($json.mixed.match(/z/g) || []).length', 0],
    ['$json.html.removeTags()', 'Hi you'],
    ['"Hello World-Wide (x)".toSnakeCase()', 'hello_world_wide_x'],
    ['"hello".hash()', '5d41402abc4b2a76b9719d911017c592'],
    ["'hello'.hash('SHA1')", 'aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d'],
    ["typeof $json.text === 'string'", true],
    ["typeof $json.n == 'string'", false],
    ["'number' === typeof $json.n", true],
    ["typeof $json.list === 'object'", true],
    ["typeof $json.missing === 'undefined'", true],
    ["typeof $json.text !== 'undefined'", true],
    ["typeof $json.missing !== 'boolean'", true],
  ]);
});

describe('lists', () => {
  check([
    ['$json.list.map((x, i) => i + x)', ['0b', '1a', '2b']],
    ['$json.list.map((x, i) => `${i + 1}. ${x}`).join("\\n")', '1. b\n2. a\n3. b'],
    ['$json.list.filter((x, i) => i > 0)', ['a', 'b']],
    ['$json.items.slice(0, 2).reduce((a, b) => a + b.price, 0)', 12],
    ['$json.items.reduce((a, b) => a + b.price, 0)', null],
    ['$json.items.reduce((a, b) => a + (b.price || 0), 0)', 12],
    ['$json.items.reduce((a, b) => a + Number(b.price), 0)', null],
    ['$json.counts.reduce((a, b) => a + b, 0)', 118],
    ['$json.counts.reduce((a, b) => a + b)', 118],
    ['$json.counts.reduce((a, b) => a > b ? a : b)', 100],
    ['$json.none.reduce((a, b) => a + b, 0)', 0],
    ['$json.list.reduce((all, x) => all + x + ",", "")', 'b,a,b,'],
    ['$json.list.reduce((all, x) => all.concat([x, x]), [])', ['b', 'b', 'a', 'a', 'b', 'b']],
    ['$json.list.reduce((all, x) => ({ ...all, [x]: (all[x] || 0) + 1 }), {})', { b: 2, a: 1 }],
    ['$json.items.sort((a, b) => a.price - b.price).map(i => i.name)', ['cap', 'pen', 'Ink']],
    ['$json.items.sort((a, b) => b.price - a.price)[0].name', 'Ink'],
    ['$json.items.sort((a, b) => a.name.localeCompare(b.name)).map(i => i.name)', ['cap', 'Ink', 'pen']],
    ['$json.words.sort((a, b) => b.localeCompare(a))', ['B', 'b', 'Ä', 'a']],
    ['$json.counts.sort()', [-1, 10, 100, 9]],
    ['$json.counts.sort((a, b) => a - b)', [-1, 9, 10, 100]],
    ['[null, "z", true, "a"].sort()', ['a', null, true, 'z']],
    ['$input.all().sort((a, b) => a.json.x - b.json.x).map(i => i.json.x)', [1, 2]],
    ['$input.all().map((item, i) => item.json.x * i)', [0, 1]],
    ['$input.all().reduce((sum, item) => sum + item.json.x, 0)', 3],
    ['$input.all().map(({ json }) => json.x)', [2, 1]],
    ['[...new Set($json.list)]', ['b', 'a']],
    ['[...new Set($json.items.map(i => i.id))].length', 2],
    ['[...new Set([{ a: 1 }, { a: 1 }])].length', 2],
    ['new Set($json.list).size', 2],
    ['new Set($json.list).has("a")', true],
    ['Array.from(new Set($json.list))', ['b', 'a']],
    ['Array.from({ length: 3 }, (_, i) => i * 2)', [0, 2, 4]],
    ['Array.from({ length: $json.digits }, () => 0).length', 12],
    ['Array.from({ length: -1 }, (_, i) => i)', []],
    ['Array.from({ length: 2 })', [null, null]],
    ['Array(3).fill("x").join("")', 'xxx'],
    ['[...Array(3).keys()]', [0, 1, 2]],
    ['$json.items.findIndex(i => i.id === 2)', 1],
    ['$json.items.findIndex(i => i.id === 9)', -1],
    ['$json.missing.findIndex(i => i.id === 9)', null],
    ['$json.items.findLast(i => i.id === 1).name', 'cap'],
    ['$json.list.filter(Boolean).length', 3],
    ['"1, 2.5".split(",").map(Number)', [1, 2.5]],
    ['["1px", "2.5"].map(parseFloat)', [1, 2.5]],
    ['$json.items.map(({ name, id }) => name + id)', ['pen1', 'Ink2', 'cap1']],
    ['$json.items.pluck("name")', ['pen', 'Ink', 'cap']],
    ['$json.items.pluck("tags")', [['x', 'y'], []]],
    ['$json.counts.average()', 29.5],
    ['$json.none.average()', 0],
    ['["1.5", 2].average()', 1.75],
    ['$json.list.append("c", [1])', ['b', 'a', 'b', 'c', [1]]],
    ['$json.list.toReversed()', ['b', 'a', 'b']],
    ['$json.list.chunk(2)', [['b', 'a'], ['b']]],
    ['$json.items.removeDuplicates("id").length', 2],
    ['[1, 1, {a: 1, b: 2}, {a: 1}].removeDuplicates("a")', [1, { a: 1, b: 2 }]],
    ['$json.items.smartJoin("name", "price")', { pen: 2, Ink: 10, cap: null }],
    ['$json.items.map(i => (i.tags || []).map(t => i.name + "-" + t).join())', ['pen-x,pen-y', '', '']],
    ['$json.items.flatMap(i => i.tags ?? [])', ['x', 'y']],
  ]);
});

describe('objects', () => {
  check([
    ['Object.entries($json.holder).map(([k, v]) => k + "=" + v).join("&")', 'values=[1]&keys=k&name=Ada'],
    ['Object.keys($json.holder)', ['values', 'keys', 'name']],
    ['Object.values($json.holder)', [[1], 'k', 'Ada']],
    ['$json.holder.keys()', ['values', 'keys', 'name']],
    ['Object.fromEntries($json.items.map(i => [i.name, i.id]))', { pen: 1, Ink: 2, cap: 1 }],
    ['Object.fromEntries([[true, 1], [2, 3]])', { true: 1, 2: 3 }],
    ['Object.assign({}, $json.holder, { name: "Bob" }).name', 'Bob'],
    ['Object.assign({}, $json.missing, { a: 1 })', { a: 1 }],
    ['({ a: 1, ...$json.holder, "b c": 2 })', { a: 1, values: [1], keys: 'k', name: 'Ada', 'b c': 2 }],
    ['({ ...($json.missing && { a: 1 }), b: 2 })', { b: 2 }],
    ['({ [$json.digits]: 1 })', { 12: 1 }],
    ['$json.holder.merge({ name: "Bob", b: 1 })', { values: [1], keys: 'k', name: 'Ada', b: 1 }],
    ['$json.holder.removeField("name")', { values: [1], keys: 'k' }],
    ['$json.holder.keepFieldsContaining("d")', { name: 'Ada' }],
    ['$json.holder.removeFieldsContaining("d")', { values: [1], keys: 'k' }],
  ]);

  it('keeps the order of keys that JavaScript has', () => {
    expect(JSON.stringify(results('({ a: 1, ...{ b: 2, a: 3 }, c: 4 })'))).toBe('{"a":3,"b":2,"c":4}');
    expect(JSON.stringify(results('({ b: 2, a: 3 }).merge({ c: 1, b: 5 })'))).toBe('{"b":2,"a":3,"c":1}');
  });
});

describe('functions', () => {
  check([
    ['(() => { const x = $json.n; return x + 1; })()', 6],
    ['(() => $json.n * 2)()', 10],
    ['(function () { const a = 1; const b = a + a; return b * b })()', 4],
    ['(() => { const x = $json.n; if (x > 3) { return "big"; } return "small"; })()', 'big'],
    ['(() => { if ($json.n < 3) return 1; else if ($json.n < 6) return 2; return 3 })()', 2],
    ['$json.items.map(i => { const p = i.price ?? 0; return p * 2 })', [4, 20, 0]],
    ['(() => { const k = $json.n; return $json.counts.map(c => c + k) })()', [15, 14, 4, 105]],
    [
      '$json.items.map(i => { const n = i.name; return (i.tags ?? []).map(t => `${n}-${t}`) })',
      [['pen-x', 'pen-y'], [], []],
    ],
    ['(() => { const x = 1; return [1].map(x => x + 1) })()', [2]],
    ['(() => { const r = Math.random(); return r })()', 0.5],
    ['(() => { const { name, keys: k } = $json.holder; return name + "-" + k })()', 'Ada-k'],
  ]);
});

it('reads the item around a script inside the functions of that script', () => {
  const forItem: Names = { ...names, field: (_, key) => `item${access(key)}` };
  const { code } = toCode('={{ ($json.tags || []).map(t => $json.name + "/" + t) }}', forItem);
  const around = `$data.items.map(${JSON.stringify(code)})`;
  expect(evaluate(around, 'value', scope)).toEqual([['pen/x', 'pen/y'], [], []]);
  expect(() => toCode('={{ $json.tags.map(t => t.a.map(u => $json.name)) }}', forItem)).toThrow(/inside a/);
});

describe('JMESPath', () => {
  const asked = (query: string): unknown => results(`$jmespath($json, ${JSON.stringify(query)})`);
  it.each<Row>([
    ['items[].name', ['pen', 'Ink', 'cap']],
    ['items[*].tags[]', ['x', 'y']],
    ['items[?price > `5`].name', ['Ink']],
    ['items[?price < `5`].name', ['pen', 'cap']],
    ["items[?name == 'Ink'].id | [0]", 2],
    ['items[?id == `1` && price].name', ['pen']],
    ['items[?!price].name', ['cap']],
    ["items[?contains(name, 'n')].name", ['pen', 'Ink']],
    ['length(items)', 3],
    ['items[?id == `1`] | length(@)', 2],
    ['sum(counts)', 118],
    ['items[0].{n: name, p: price}', { n: 'pen', p: 2 }],
    ['items[*].{n: name, p: price} | [1]', { n: 'Ink', p: 10 }],
    ['items[*].[name, id] | [0]', ['pen', 1]],
    ['{count: length(items), first: items[0].name}', { count: 3, first: 'pen' }],
    ["join('-', list)", 'b-a-b'],
    ['keys(holder)', ['values', 'keys', 'name']],
    ['missing[].name', null],
    ['holder[].name', null],
    ['none[*].x', []],
  ])('%s', (query, result) => {
    expect(asked(query)).toEqual(result);
  });
});

describe('facts', () => {
  check([
    ['$workflow.id', '42'],
    ['$prevNode.name', 'Node "before"'],
  ]);
});

describe('what has no equal', () => {
  it.each<[string, RegExp]>([
    ['$json.list.map((x, i, all) => all.length)', /function of the form/],
    ['$json.list.reduce((a, b, i) => a + i, 0)', /function of the form/],
    ['$json.list.sort((a, b) => a > b ? 1 : -1)', /a\.x - b\.x/],
    ['$json.list.sort((a, b) => a.x - b.y)', /same value/],
    ['$json.list.sort((a, b) => a.localeCompare(b, "de"))', /a\.x - b\.x/],
    ['$input.all().reduce((a, b) => a)', /start/],
    ['$json.list.map(async x => x)', /function of the form/],
    ['$json.list.map((x = 1) => x)', /shape/],
    ['$json.a.map(x => x.b.map(y => y.c.map(z => x)))', /inside a function/],
    ['$json.text.split(/,?/)', /may be empty/],
    [String.raw`$json.text.split(/\b/)`, /may be empty/],
    ['$json.text.split(/(,)/)', /groups/],
    ['"x".hash("sha3")', /hash/],
    ['$json.items.pluck($json.text)', /fixed text/],
    ['typeof $json.n', /operator typeof/],
    ['$json.text.format("yyyy-MM-dd")', /language/],
    ['$json.n.toLocaleString(undefined, {})', /language of the service/],
    ['typeof $json.n === "function"', /type function/],
    ['Number.isNaN($json.text)', /counted/],
    ['new Set($json.list)', /created/],
    ['Array.from($json.list)', /length or a Set/],
    ['(() => { let a = 1; a = 2; return a })()', /only have constants/],
    ['(() => { for (const x of []) return x })()', /only have constants/],
    ['(x => x)(1)', /no parameters/],
    ['(() => { const [a] = $json.list; return a })()', /shape/],
    ['(() => { const { a = 1 } = $json; return a })()', /shape/],
    ['(() => { let a; return a })()', /needs a value/],
    ['(() => { const r = Math.random(); return r - r })()', /more than once/],
    [
      `(() => { ${Array.from({ length: 40 }, (_, i) => `const a${i + 1} = a${i} + a${i};`).join('')} return a40 })()`,
      /no equal|too/,
    ],
    [
      `(() => { const a0 = 1; ${Array.from({ length: 40 }, (_, i) => `const a${i + 1} = a${i} + a${i};`).join('')} return a40 })()`,
      /too long/,
    ],
    [
      '(() => { const d = new Date($json.n); const f = new Date(d.setDate(1)); return d.toISOString() })()',
      /statement/,
    ],
    ['(() => { const d = new Date($json.n); return d.setHours(1) })()', /statement/],
    [
      '(() => { const d = new Date($json.n); const f = d?.setMonth(1); return d.toISOString() })()',
      /statement/,
    ],
    ['(() => { const o = { d: new Date(5) }; const f = o.d.setTime(1); return o.d })()', /statement/],
    [
      '(() => { const d = new Date(5); return [1, 2].map(x => { d.setDate(d.getDate() + 1); return d.getTime() }) })()',
      /statement/,
    ],
    [
      '(() => { const d = new Date(5); const f = (() => { d.setDate(9); return 1 })(); return d.getTime() })()',
      /statement/,
    ],
    [
      '(() => { const d = new Date(5); return [1, 2].map(x => { if (x > 5) { const d = new Date(6); return d.getTime() } d.setDate(x); return d.getTime() }) })()',
      /statement/,
    ],
    ['$json.dates.map(d => { d.setDate(1); return d })', /statement/],
    ['$json.text.indexOf("o", -1)', /fixed start/],
    ['$json.text.indexOf("o", $json.n)', /fixed start/],
    ['({ a() { return 1 } })', /methods/],
    ['$execution.mode', /how it was started/],
    ['$env.KEY', /\$env has no equal here: .*global variable/],
    ['$execution.resumeUrl', /waits for a call/],
    ['$workflow.active', /published/],
    ['$evaluateExpression("1")', /no equal/],
    ['$jmespath($json, "items[?name > `a`]")', /numbers/],
    ['$jmespath($json, "sort_by(items, &price)")', /JMESPath/],
    ['$jmespath($json, "items[?!price == `1`]")', /JMESPath/],
  ])('%s', (script, reason) => {
    expect(() => toCode(`={{ ${script} }}`, names)).toThrow(reason);
  });
});
