import { createScope, evaluate } from '@millrace/engine';
import { describe, expect, it } from 'vitest';
import { templateText, toCode, valueText } from './field.ts';
import { access, type Names, type Which } from './value.ts';

const toItemCode = (node: string | null, which: Which): string => {
  const name = node === null ? 'before' : node.toLowerCase();
  return which === 'last' && node === null ? `${name}.rows.last()` : name;
};

/** Data of "A" is the output `a`; that of the node before is `before`, which has a list in `rows`. */
const names: Names = {
  spend: () => undefined,
  field: (node, key, which) => `${toItemCode(node, which)}${access(key)}`,
  whole: (node, which = 'current') => toItemCode(node, which),
  items: (node) => `${node === null ? 'before' : node.toLowerCase()}.rows`,
  index: () => ({ form: 'constant', code: '0', value: 'number' }),
  ran: (node) => `${node.toLowerCase()} != null`,
  uncertainReads: () => 0,
  runIndex: () => ({ form: 'chain', code: 'Loop.index', value: 'number' }),
  fromAgent: (name) => `agentArguments.value_${name}`,
  previous: () => 'Before it',
  parameters: () => undefined,
};

const before = {
  name: 'Ada',
  n: 5,
  'x y': 'spaced',
  yes: true,
  list: ['b', 'a', 'b'],
  tags: [
    { t: 'x', n: 1 },
    { t: 'y', n: 2 },
  ],
  address: { city: 'Ulm' },
  in: 'word',
  empty: '',
  text: 'one two',
  digits: '12',
  size: '12px',
  numbers: ['10', 2],
  slashes: String.raw`a\1`,
  json: '{"k": 1}',
  created: '2026-03-01T09:00:00Z',
  rows: [{ x: 1 }, { x: 2 }],
};
const scope = createScope({
  values: { before, a: { x: 7 } },
  now: () => Date.parse('2026-01-31T10:05:09Z'),
  uuid: () => '0'.repeat(32),
  random: () => 0.5,
});

describe('$ifEmpty', () => {
  it.each<[string, unknown]>([
    ['$json.name', 'Ada'],
    ['$json.missing', 'none'],
    ['$json.empty', 'none'],
    ['[]', 'none'],
    ['{}', 'none'],
    ['0', 0],
    ['false', false],
    ['$json.list', ['b', 'a', 'b']],
  ])('%s', (value, expected) => {
    const text = valueText(`={{ $ifEmpty(${value}, "none") }}`, names);
    expect(evaluate(text, 'value', scope)).toEqual(expected);
  });
});

describe('expressions as values', () => {
  it.each<[string, string, unknown]>([
    ['$json.name', '$before.name', 'Ada'],
    ['$jmespath($json, "address.city")', '$before.address.city', 'Ulm'],
    ['$jmespath($json, "tags[1].t")', '$before.tags[1].t', 'y'],
    ['$jmespath($json, "tags[-1].n")', '$before.tags[-1].n', 2],
    [`$jmespath($json, '"x y"')`, '$before["x y"]', 'spaced'],
    [
      '$jmespath($input.all(), "[*].json.x")',
      String.raw`$before.rows.map("item.x").filter("item != null")`,
      [1, 2],
    ],
    [
      '$jmespath($json.tags, "[*].t")',
      String.raw`$before.tags.map("item.t").filter("item != null")`,
      ['x', 'y'],
    ],
    ['$json["x y"]', '$before["x y"]', 'spaced'],
    ["$json['name']", '$before.name', 'Ada'],
    ['$json.in', '$before["in"]', 'word'],
    ['$json?.address?.city', '$before.address.city', 'Ulm'],
    ['$json.address["city"].toUpperCase()', '$before.address.city.toUpperCase()', 'ULM'],
    ['$node["A"].json.x', '$a.x', 7],
    ['$node.A.json["x"]', '$a.x', 7],
    ["$('A').item.json.x", '$a.x', 7],
    ["$('A').first().json.x", '$a.x', 7],
    ["$('A').last().json.x", '$a.x', 7],
    ['$items("A").first().json.x', '$a.x', 7],
    ['$input.first().json.name', '$before.name', 'Ada'],
    ['$input.item.json.name', '$before.name', 'Ada'],
    ['$input.last().json.x', '$before.rows.last().x', 2],
    ['$input.last().json["x"]', '$before.rows.last().x', 2],
    ['$input.all().at(1).json.x', '$before.rows[1].x', 2],
    ['$input.all().length', '$before.rows.length', 2],
    ['$input.all().map(i => i.json.x)', '$before.rows.map("item.x")', [1, 2]],
    ['$input.all().map(i => i.json)', '$before.rows.map("item")', [{ x: 1 }, { x: 2 }]],
    ['$input.all()[0].json.x', '$before.rows[0].x', 1],
    ['$input.all().last().json.x', '$before.rows.last().x', 2],
    [
      '$input.all().filter(i => i.json.x > 1).map(i => i.json.x)',
      '$before.rows.filter("(toNumber(item.x) ?? -1e308) > 1").map("item.x")',
      [2],
    ],
    ['$json.n + 1', '$(before.n + 1)', 6],
    ['$json.n * 2 - 1', '$((toNumber(before.n) * 2) - 1)', 9],
    ['"#" + $json.n', '$concat("#", before.n)', '#5'],
    ['$json.n > 3 && $json.yes', '$(((toNumber(before.n) ?? -1e308) > 3) and before.yes)', true],
    ['!$json.yes || $json.missing', '$((not before.yes) or before.missing)', null],
    ['$json.missing ?? "none"', '$(before.missing ?? "none")', 'none'],
    ['$json.n === 5 ? "five" : "other"', '$((before.n == 5) ? "five" : "other")', 'five'],
    ['$json.n !== 5', '$(before.n != 5)', false],
    ['`${$json.name}: ${$json.n + 1}`', '$concat(before.name, ": ", before.n + 1)', 'Ada: 6'],
    ['["p", $json.n]', '$(["p", before.n])', ['p', 5]],
    ['({a: $json.n, "b c": "x"})', '$({"a": before.n, "b c": "x"})', { a: 5, 'b c': 'x' }],
    ['$json.text.split(" ").join("-")', '$before.text.split(" ").join("-")', 'one-two'],
    ['$json.text.slice(0, 3)', '$before.text[0:3]', 'one'],
    ['$json.list.slice(-1)', '$before.list[-1:]', ['b']],
    ['$json.list[0]', '$before.list[0]', 'b'],
    ['$json.list.includes("a")', '$before.list.includes("a")', true],
    ['$json.list.unique()', '$before.list.distinct()', ['b', 'a']],
    ['$json.tags.map(t => t.t)', '$before.tags.map("item.t")', ['x', 'y']],
    [
      '$json.tags.filter(t => t.t === "y").length',
      String.raw`$before.tags.filter("item.t == \"y\"").length`,
      1,
    ],
    ['$json.text.replace(/o/g, "0")', '$before.text.regexReplace("o", "0")', '0ne tw0'],
    ['$json.text.replace(/O/gi, "0")', '$before.text.regexReplace("(?i)O", "0")', '0ne tw0'],
    ['JSON.parse($json.json).k', '$toJson(before.json).k', 1],
    ['Math.round(2.5)', '$((2.5 + 0.5) // 1)', 3],
    ['JSON.stringify($json.address, null, 2)', '$toJsonText(before.address, 2)', '{\n  "city": "Ulm"\n}'],
    [
      '$json.tags.find(t => t.n > 1).t',
      '$before.tags.filter("(toNumber(item.n) ?? -1e308) > 1").first().t',
      'y',
    ],
    [
      '$json.tags.some(t => t.n > 1)',
      '$(len(before.tags.filter("(toNumber(item.n) ?? -1e308) > 1")) > 0)',
      true,
    ],
    [
      '$json.tags.every(t => t.n > 1)',
      '$(len(before.tags.filter("(toNumber(item.n) ?? -1e308) > 1")) == len(before.tags))',
      false,
    ],
    ['$json.list.flatMap(x => [x, 1])', '$before.list.map("[item, 1]").flat()', ['b', 1, 'a', 1, 'b', 1]],
    ['$json.text.split(" ").pop()', '$before.text.split(" ").last()', 'two'],
    ['Array.isArray($json.list)', '$((before.list).take(0) != null)', true],
    ['Array.isArray($json.text)', '$((before.text).take(0) != null)', false],
    ['Array.isArray($json.missing)', '$((before.missing).take(0) != null)', false],
    ['[...$json.list, $json.n]', '$array(before.list, [before.n]).flat()', ['b', 'a', 'b', 5]],
    ['({...$json.address, n: $json.n})', '$dict(before.address ?? {}, n=before.n)', { city: 'Ulm', n: 5 }],
    ['({...$json.missing, n: 1})', '$dict(before.missing ?? {}, n=1)', { n: 1 }],
    ['Math.ceil(2.1)', '$(0 - ((0 - 2.1) // 1))', 3],
    ['$items("A")[0].json.x', '$a.rows[0].x', null],
    ["$('A').itemMatching(0).json.x", '$a.rows[0].x', null],
    ["$('A').isExecuted", '$(a != null)', true],
    ['$itemIndex', '$(0)', 0],
    ['$now.plus($json.n, "days").toISODate()', '$now.add({"days": before.n}).toDate()', '2026-02-05'],
    ['$now.minus($json.n, "weeks").toISODate()', '$now.subtract({"weeks": before.n}).toDate()', '2025-12-27'],
    ['$json.list.concat(["z"])', '$array(before.list, ["z"]).flat()', ['b', 'a', 'b', 'z']],
    ['Math.floor($json.n / 2)', '$((toNumber(before.n) / 2) // 1)', 2],
    ['Math.max($json.n, 9)', '$max(toNumber(before.n), 9)', 9],
    ['parseInt("12", 10)', '$parseInt("12")', 12],
    ['Object.keys($json.address)', String.raw`$pairs(before.address).map("item[0]")`, ['city']],
    ['$now.toFormat("yyyy-MM-dd")', '$now.format("YYYY-MM-DD")', '2026-01-31'],
    ['$now.plus({days: 1}).toISODate()', '$now.addDays(1).toDate()', '2026-02-01'],
    ['$now.minus(1, "months").month', '$now.addMonths(-1).month', 12],
    ['$today.toISODate()', '$now.startOfDay().toDate()', '2026-01-31'],
    ['new Date($json.created).getTime()', '$newDate(before.created).toMillis()', 1772355600000],
    ['"costs $name"', '$concat("costs $", "name")', 'costs $name'],
    [String.raw`"a\"b\\c\n"`, String.raw`$("a\"b\\c\n")`, 'a"b\\c\n'],
    ['5', '$(5)', 5],
    ['-1', '$(-1)', -1],
  ])('%s', (script, code, result) => {
    const text = valueText(`={{ ${script} }}`, names);
    expect(text).toBe(code);
    expect(evaluate(text, 'value', scope)).toEqual(result);
    expect(evaluate(text, 'raw', scope)).toEqual(result);
  });

  it.each<[string, unknown]>([
    ['$json.text.replace("o", "0")', '0ne two'],
    ['$json.text.replace("x", "0")', 'one two'],
    ['$json.text.replace("ne", $json.name)', 'oAda two'],
    ['$json.text.replace(/o/, "0")', '0ne two'],
    ['$json.text.replace(/^o/, "")', 'ne two'],
    ['$json.text.replace(/[a-z]+$/, "2")', 'one 2'],
    ['$json.text.match(/(\\w+) (\\w)/)[2]', 't'],
    ['$json.text.match(/(\\w+) (\\w)/)[0]', 'one t'],
    ['$json.text.match(/(x+)/)?.[1]', null],
    ['$json.text.match(/ONE/i) ? "yes" : "no"', 'yes'],
    ['!$json.text.match(/one/)', false],
    ['/t.o$/.test($json.text)', true],
    ['/^two/.test($json.text)', false],
    ['$json.text.match(/o/) ? $json.text.match(/(t.*)$/)[1] : ""', 'two'],
    ['$json.missing.match(/a/) ? 1 : 2', 2],
  ])('patterns and first matches: %s', (script, result) => {
    expect(evaluate(valueText(`={{ ${script} }}`, names), 'value', scope)).toEqual(result);
  });

  it.each<[string, unknown]>([
    ['JSON.stringify($json.name)', '"Ada"'],
    ['JSON.stringify($json.text + "\\n")', '"one two\\n"'],
    ['JSON.stringify([$json.missing, $json.n])', '[null,5]'],
    ['$json.address.toJsonString()', '{"city":"Ulm"}'],
    ['DateTime.fromISO($json.missing)', null],
    ['DateTime.fromISO($json.missing).toISODate()', null],
    ['new Date(1000).getTime()', 1000],
    ['$json.missing.toDateTime()', null],
    ['$now.minus(1, "days") < $now', true],
    ['$now - DateTime.fromISO("2026-01-31T10:05:08Z")', 1000],
    ['$json.digits * 2', 24],
    ['$json.digits - 2', 10],
    ['$json.digits + 2', '122'],
    ['-$json.digits', -12],
    ['+$json.digits + 2', 14],
    ['$json.digits > 9', true],
    ['$json.digits == 12', true],
    ['$json.digits === 12', false],
    ['$json.n == "5"', true],
    ['$json.n != "5"', false],
    ['$json.missing == 0', false],
    ['-7 % 3', -1],
    ['$json.digits % 5', 2],
    ['Math.max($json.digits, 9)', 12],
    ['Math.round("2.5")', 3],
    ['$json.numbers.sum()', 12],
    ['$json.numbers.max()', 10],
    ['Number($json.name) || 0', 0],
    ['Number($json.missing) || 0', 0],
    ['Number("") + 1', 1],
    ['parseInt("12px")', 12],
    ['parseFloat("2.5 kg") * 2', 5],
    ['$json.size.toInt()', 12],
    ['$json.text.replace(/o/g, "[$&]")', '[o]ne tw[o]'],
    ['$json.text.replace(/(o)(n)/g, "$2$1")', 'noe two'],
    ['$json.text.replace(/o/g, "$$")', '$ne tw$'],
    [String.raw`$json.text.replace(/o/g, "\\1")`, String.raw`\1ne tw\1`],
    ['$json.text.replace(/o/g, $json.slashes)', String.raw`a\1ne twa\1`],
    ['$json.text.replace(/o/g, $json.n)', '5ne tw5'],
    ['$json.text.replace("o", "$$1")', '$1ne two'],
    ['$json.text.replaceAll("o", "$5")', '$5ne tw$5'],
    ['$json.text.replaceAll(/o/g, "0")', '0ne tw0'],
    [String.raw`"a-b_C=d|e".replace(/[_=\-|]/g, "\\$&")`, String.raw`a\-b\_C\=d\|e`],
    [String.raw`"a\u2014b".replace(/\u2014/g, "-")`, 'a-b'],
    [String.raw`"a\u{2014}b".replace(/[\u{2014}]/gu, "-")`, 'a-b'],
    ['encodeURIComponent($json.n)', '5'],
    ['decodeURIComponent($json.n)', '5'],
    ['encodeURIComponent($json.missing)', ''],
    ['new Date().toISOString()', '2026-01-31T10:05:09.000Z'],
    ['new Date("2026-01-31T23:05:09.12-05:00").toISOString()', '2026-02-01T04:05:09.120Z'],
    ['new Date(1769918709123).toISOString()', '2026-02-01T04:05:09.123Z'],
    ['new Date($json.missing).toISOString()', null],
    ['$now.toISO()', '2026-01-31T10:05:09.000Z'],
    ['$json.text.match(/o../)[0].concat("!", $json.n)', 'one!5'],
    ['$json.name.split(",")[0];', 'Ada'],
  ])('values become others as in JavaScript: %s', (script, result) => {
    expect(evaluate(valueText(`={{ ${script} }}`, names), 'value', scope)).toEqual(result);
  });

  it('joins texts and scripts to one text', () => {
    const text = valueText('=Hello {{ $json.name }}, {{ $json.n }}!', names);
    expect(text).toBe('$concat("Hello ", before.name, ", ", before.n, "!")');
    expect(evaluate(text, 'value', scope)).toBe('Hello Ada, 5!');
  });

  it('leaves text without "=" as it is, and no reference arises in it', () => {
    expect(valueText('plain {{ $json.x', names)).toBe('$concat("plain {{ $", "json.x")');
    expect(valueText('costs 5 $', names)).toBe('costs 5 $');
    expect(evaluate(valueText('US$before', names), 'value', scope)).toBe('US$before');
  });
});

describe('expressions in text', () => {
  it.each([
    ['=Hello {{ $json.name }}!', 'Hello Ada!'],
    ['={{ $json.name }}bert', 'Adabert'],
    ['=https://{{ $json.name }}.example.com/{{$json.n}}(x)', 'https://Ada.example.com/5(x)'],
    ['={{ $json.missing }}.', '.'],
    ['={{ $json.yes }}', 'true'],
    ['={{ {a: {b: 1}}.a.b }}', '1'],
    ['costs $before or $5', 'costs $before or $5'],
    ['=a {{ $json.n + 1 }} b', 'a 6 b'],
  ])('%s', (field, result) => {
    expect(evaluate(templateText(field, names), 'template', scope)).toBe(result);
  });
});

describe('what has no equal', () => {
  it.each([
    ['$env.SECRET', /global variable/],
    ['$binary.data', /files/],
    ['$json.text.replace("", "0")', /empty text/],
    ['$json.text.replace(/o/, $json.name)', /fixed text/],
    ['$json.text.replace("o", "$&")', /"\$"/],
    ['$json.text.replace(/o/g, "$0")', /"\$"/],
    [String.raw`$json.text.replace(/[\uD83C-\uDBFF]/g, "")`, /pattern/],
    ['$json.text.replace(/[^]o/g, "")', /pattern/],
    ['$json.text.replace(/o/g, `$&${$json.n}`)', /"\$"/],
    ['$jmespath($json, ".tags")', /JMESPath/],
    ['$jmespath($json, "text.length")', /length/],
    ['$jmespath($json, "[*].a[*].b")', /second/],
    ['$jmespath($json, $json.name)', /fixed text/],
    ['$jmespath($input.all(), "[*].x")', /json/],
    ['$now.plus($json.n, "eras")', /unit/],
    [String.raw`$json.text.replace(/(?=o)/g, "0")`, /look-around/],
    ['$input.all()[0].binary', /of an item/],
    ['$("A")', /whole/],
    ['$(name).item.json.x', /fixed text/],
    ['let a = 1', /not one JavaScript expression/],
    ['$json.toString().constructor.constructor("x")()', /no equal/],
    ['', /not one JavaScript expression/],
    ['~$json.n', /operator/],
    ['$now.toFormat("DDDDD")', /date format/],
    ['$now.plus(1, $json.name)', /fixed distance/],
    ['$now.plus(1, 1e999)', /too large/],
    ['typeof $json', /operator/],
    ['$json.a = 1', /AssignmentExpression/],
    [`${'['.repeat(300)}${']'.repeat(300)}`, /deep/],
  ])('%s', (script, reason) => {
    expect(() => toCode(`={{ ${script} }}`, names)).toThrow(reason);
  });
});
