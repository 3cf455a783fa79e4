import { createScope, ExpressionError, evaluate } from '@millrace/engine';
import { describe, expect, it } from 'vitest';
import { dataNames as names } from '../../testing/data-names.ts';
import { templateText, toCode, valueText } from '../field.ts';

const data = {
  text: 'one two three',
  mail: 'Write to Ada <ada.l@mail.example.com> now',
  address: 'ada@example.com',
  url: 'https://www.example.com/a b/c?x=1#f',
  host: 'sub.example.co.uk',
  price: '€ 12.50',
  thousands: '1,234.5',
  half: 2.5,
  zero: 0,
  no: false,
  empty: '',
  none: [],
  list: ['b', 'a', 'b'],
  nested: [null, 1, '', { a: null, b: { c: '', d: 0 } }, [], {}, 'nil', { x: '' }],
  items: [
    { id: 1, name: 'pen' },
    { id: 2, name: 'Ink' },
    { id: 1, size: 3 },
  ],
  holder: { keys: 'k', name: 'Ada L', n: 1, yes: true },
  markdown: '# Title\n**bold** _it_ and [link](http://x.y) `code` ![i](u)\n\n* item\n> quote ~~gone~~',
  date: '2024-03-30T18:49:00.000Z',
};

const scope = createScope({
  values: { data },
  now: () => Date.UTC(2026, 0, 31, 10, 5, 9),
  uuid: () => '',
  random: () => 0.5,
});

type Row = readonly [script: string, result: unknown];
const results = (script: string): unknown => evaluate(valueText(`={{ ${script} }}`, names), 'value', scope);
const check = (rows: readonly Row[]): void =>
  it.each(rows)('%s', (script, result) => {
    expect(results(script)).toEqual(result);
  });

describe('texts', () => {
  check([
    ['$json.mail.extractEmail()', 'ada.l@mail.example.com'],
    ['$json.text.extractEmail()', null],
    ['$json.address.extractDomain()', 'example.com'],
    ['$json.host.extractDomain()', 'sub.example.co.uk'],
    ['"https://www.example.com/a?b=c#d".extractDomain()', 'www.example.com'],
    ['"http://localhost:5678/x".extractDomain()', 'localhost'],
    ['"1.2.3.4".extractDomain()', '1.2.3.4'],
    ['"mailto:a@b.de".extractDomain()', 'b.de'],
    ['$json.text.extractDomain()', null],
    ['("see " + "ftp://example.com/a?b#c" + " now").extractUrl()', 'ftp://example.com/a?b#c'],
    ['$json.text.extractUrl()', null],
    ['$json.url.extractUrlPath()', '/a%20b/c'],
    ['"https://example.com".extractUrlPath()', '/'],
    ['$json.text.extractUrlPath()', null],
    ['$json.address.isEmail()', true],
    ['$json.mail.isEmail()', false],
    ['$json.text.isEmail()', false],
    ['"https://example.com:80/a?b".isUrl()', true],
    ['"HTTP://EXAMPLE.COM".isUrl()', true],
    ['$json.url.isUrl()', false],
    ['$json.host.isUrl()', false],
    ['$json.host.isDomain()', true],
    ['"a.de/x".isDomain()', true],
    ['"https://a.de".isDomain()', false],
    ['" \\t".isBlank()', true],
    ['$json.text.isNotBlank()', true],
    ['$json.markdown.removeMarkdown()', 'Title\nbold it and link code \n\nitem\n quote gone'],
    ['"**a _b c_ d** and ***e f*** __g *h i* j__ _k l_".removeMarkdown()', 'a _b c_ d and e f g *h i* j k l'],
    ['"the lord of the rings".toTitleCase()', 'The Lord of the Rings'],
    ['"john SMITH and mcDonald".toTitleCase()', 'John SMITH and mcDonald'],
    [String.raw`'say "hi" \\ x'.quote()`, String.raw`"say \"hi\" \\ x"`],
    [`"it's".quote("'")`, String.raw`'it\'s'`],
    ['"é".hash("base64")', 'w6k='],
    ['"x ".trimRight()', 'x'],
    ['$json.list.toString()', 'b,a,b'],
    ['$json.half.toString()', '2.5'],
  ]);
});

describe('numbers', () => {
  check([
    ['$json.price.toFloat()', 12.5],
    ['$json.price.toNumber()', 12.5],
    ['$json.price.toInt()', 12],
    ['$json.half.toInt()', 3],
    ['$json.no.toInt()', 0],
    ['$json.missing?.toInt()', null],
    ['(-1.7).abs()', 1.7],
    ['Math.sqrt(9)', 3],
    ['Math.PI.toFixed(2)', '3.14'],
  ]);

  it.each(['$json.text.toInt()', '$json.text.toNumber()', '$json.thousands.toFloat()'])(
    '%s fails as in n8n',
    (script) => {
      expect(() => results(script)).toThrow(ExpressionError);
    },
  );
});

describe('what is empty', () => {
  check([
    ['$json.empty.isEmpty()', true],
    ['$json.none.isEmpty()', true],
    ['$json.missing.isEmpty()', true],
    ['({}).isEmpty()', true],
    ['$json.zero.isEmpty()', false],
    ['$json.no.isEmpty()', false],
    ['$json.list.isEmpty()', false],
    ['$json.zero.isNotEmpty()', true],
    ['$json.empty.isNotEmpty()', false],
    ['$json.holder.isNotEmpty()', true],
    ['$input.all().isEmpty()', true],
    ['$now.isEmpty()', false],
    ['$if($json.zero, 1)', false],
    ['$if($json.half > 1, 1)', 1],
    ['$not($json.no)', true],
  ]);
});

describe('lists', () => {
  check([
    ['$json.nested.compact()', [1, { b: { d: 0 } }, {}]],
    ['$json.list.difference(["b"])', ['a']],
    ['[1, "1", 2, 2].difference(["1"])', [1, 2]],
    ['[{ a: 1 }].difference([{ a: 1 }])', []],
    ['[1, 2, 2].intersection([2, 3])', [2]],
    ['[1, true, 0].intersection([true, false])', [true]],
    ['[1, true, 0].difference([true, false])', [1, 0]],
    ['[{ a: 1 }, [0]].difference([{ a: 2 }, [1]])', [{ a: 1 }, [0]]],
    ['[{ a: 1, b: 2 }].difference([{ b: 2, a: 1 }])', []],
    ['[1].difference([])', [1]],
    ['[1].intersection([2, 2, 1])', [1]],
    ['[1, 2, 2].union([2, 3])', [1, 2, 3]],
    ['[[1], [2]].union([[1]])', [[1], [2]]],
    ['[[1], [2]].difference([[1]])', [[2]]],
    ['$json.list.map(x => [x].difference($json.list))', [[], [], []]],
    ['$json.items.renameKeys("name", "title")[0]', { id: 1, title: 'pen' }],
    ['[{ a: 1, b: 2 }, 3].renameKeys("a", "x", "b", "y")', [{ x: 1, y: 2 }, 3]],
    ['$json.items.pluck("id", "name")', [[1, 'pen'], [2, 'Ink'], 1]],
    ['$json.holder.merge()', data.holder],
    ['$json.items.merge()', { id: 1, name: 'pen', size: 3 }],
    [
      '[{ name: "Ada" }, { age: 42 }, { x: 1 }].merge([{ city: "Rome", name: "Bob" }, { land: "Italy" }])',
      { name: 'Ada', city: 'Rome', age: 42, land: 'Italy' },
    ],
  ]);
});

describe('objects', () => {
  check([
    ['({ x: null, y: 2, z: "", a: { b: [] } }).compact()', { y: 2, a: {} }],
    ['$json.holder.urlEncode()', 'keys=k&name=Ada+L&n=1&yes=true'],
    ['$json.holder.merge({ name: "Bob", more: 1 }).name', 'Ada L'],
    ['"a b".urlEncode()', 'a%20b'],
    ['JSON.stringify({ a: [1] }, null, 2)', '{\n  "a": [\n    1\n  ]\n}'],
    ['JSON.stringify({ a: 1 }, undefined, "\\t")', '{\n\t"a": 1\n}'],
    ['JSON.stringify({ a: 1 }, null)', '{"a":1}'],
  ]);
});

describe('dates', () => {
  check([
    ['$now.minus(3, "days").toRelative()', '3 days ago'],
    ['$now.plus({ hours: 2 }).setLocale("it").toRelative()', 'tra 2 ore'],
    ['DateTime.fromISO($json.date).toRelative()', '1 year ago'],
    ['DateTime.fromISO($json.date).isValid', true],
    ['DateTime.fromISO($json.text).isValid', false],
    ['$json.date.toDateTime().isBetween("2025", "2020-06-01")', true],
    ['$json.date.toDateTime().isBetween("2024-03-30T19:00:00Z", "2025")', false],
    ['$json.date.toDateTime().toSQL()', '2024-03-30 18:49:00.000 +00:00'],
    ['(1708695471000000).toDateTime("us").toISO()', '2024-02-23T13:37:51.000Z'],
    ['(45345.5).toDateTime("excel").toISO()', '2024-02-23T12:00:00.000Z'],
  ]);
});

describe('texts of several parts', () => {
  it.each<[string, string]>([
    ['=Tags: {{ $json.items.map(i => i.id) }}!', 'Tags: 1,2,1!'],
    ['=Tags: {{ $json.text.split(" ") }}.', 'Tags: one,two,three.'],
    ['=Now: {{ $now }}', 'Now: 2026-01-31T10:05:09.000Z'],
    ['={{ $now }}', '2026-01-31T10:05:09.000Z'],
    ['={{ "Tags: " + $json.list.filter(x => x == "b") }}', 'Tags: b,b'],
    ['={{ `${$json.list.map(x => x + x)}` }}', 'bb,aa,bb'],
    ['=a {{ $json.half }}.[b', 'a 2.5.[b'],
  ])('%s', (template, text) => {
    expect(evaluate(templateText(template, names), 'template', scope)).toBe(text);
  });
});

describe('what has no equal', () => {
  it.each<[string, RegExp]>([
    ['$json.text.toSentenceCase()', /no equal/],
    ['$json.text.replaceSpecialChars()', /no equal/],
    ['$json.items.renameKeys("a")', /no equal/],
    ['$json.items.renameKeys("a", $json.text)', /fixed text/],
    ['$json.items.pluck("a", $json.text)', /fixed text/],
    ['"ff".toInt(16)', /no equal/],
    ['"x".hash("sha3")', /hash/],
    ['JSON.stringify($json, ["a"])', /chosen fields/],
  ])('%s', (script, reason) => {
    expect(() => toCode(`={{ ${script} }}`, names)).toThrow(reason);
  });
});
