import { createScope, evaluate, type Json, type JsonObject } from '@millrace/engine';
import { describe, expect, it } from 'vitest';
import { base, convert, one } from '../../testing/converted.ts';

const evaluateField = (field: unknown, x: Json): unknown =>
  typeof field === 'string'
    ? evaluate(
        field,
        'value',
        createScope({ values: { Before: { x } }, now: () => 0, uuid: () => '', random: () => 0 }),
      )
    : field;

/** The values of the fields of a set node, after a node whose field `x` has that value. */
function convertFields(assignments: JsonObject[], x: Json = '1', rest: JsonObject = {}) {
  const { settings, lines } = one(base('set'), 3.4, { ...rest, assignments: { assignments } });
  const mappings = settings['mappings'] as { key: string; value: Json }[];
  return {
    lines,
    values: Object.fromEntries(mappings.map(({ key, value }) => [key, evaluateField(value, x)])),
  };
}

describe('types of fields that are set', () => {
  it.each<[string, string, Json, Json]>([
    ['number', '={{ $json.x }}', '5', 5],
    ['number', '={{ $json.x }}', null, null],
    ['number', '={{ $json.x * 2 }}', '5', 10],
    ['number', '=1', '5', 1],
    ['array', '["a", 1]', '5', ['a', 1]],
    ['array', '=[{{ $json.x }}, "{{ $json.x }}"]', 5, [5, '5']],
    ['array', '={{ [$json.x] }}', 5, [5]],
    ['object', '{"a": {"b": true}}', 5, { a: { b: true } }],
    ['object', '={"a": "<{{ $json.x }}>"}', 'it is "5"', { a: '<it is "5">' }],
    ['object', 'no JSON', 5, 'no JSON'],
    ['object', '={{ $json.x }}', '{"a":[1,2],"b":"c"}', { a: [1, 2], b: 'c' }],
    ['object', '={{ $json.x }}', { a: '1' }, { a: '1' }],
    ['object', '={{ $json.x }}', null, null],
    ['array', '={{ $json.x }}', '[1,2]', [1, 2]],
    ['array', '={{ JSON.stringify($json.x) }}', [3, 1], [3, 1]],
    ['string', '[1]', 5, '[1]'],
    ['string', '={{ $json.x }}', 5, '5'],
    ['string', '={{ $json.x }}', true, 'true'],
    ['string', '={{ $json.x }}', null, null],
    ['string', '={{ $json.x }}', [1], '[1]'],
    ['string', '={{ 7 }}', 5, '7'],
    ['string', '={{ $json.x > 2 }}', 5, 'true'],
    ['boolean', '={{ $json.x }}', 'True', true],
    ['boolean', '={{ $json.x }}', 'false', false],
    ['boolean', '={{ $json.x }}', 1, true],
    ['boolean', '={{ $json.x }}', false, false],
    ['boolean', '={{ $json.x }}', null, null],
    ['boolean', '={{ $json.x > 2 }}', 5, true],
    ['boolean', '={{ $json.x > 2 ? "true" : "false" }}', 1, false],
    ['boolean', '={{ $json.y || "false" }}', 1, false],
    ['boolean', '={{ "false" }}', 1, false],
    ['boolean', '={{ 0 }}', 1, false],
    ['boolean', '={{ $json.x == 1 || "false" }}', 2, false],
  ])('%s: %s', (type, value, x, result) => {
    expect(convertFields([{ name: 'y', type, value }], x).values['y']).toEqual(result);
  });
});

describe('types of fields in the first shape', () => {
  it.each<[number, string, Json, Json]>([
    [2, 'number', '3000', 3000],
    [2, 'number', 'Zoe', 'Zoe'],
    [1, 'number', '3000', '3000'],
    [2, 'string', 31, 31],
    [2, 'boolean', '', false],
    [2, 'boolean', null, false],
    [2, 'boolean', 'hi', true],
    [1, 'boolean', 'hi', true],
  ])('version %d, %s: %j', (version, type, x, result) => {
    const values = { [type]: [{ name: 'y', value: '={{ $json.x }}' }] };
    const { settings } = one(base('set'), version, { keepOnlySet: true, values });
    const [mapping] = settings['mappings'] as { value: Json }[];
    expect(evaluateField(mapping?.value, x)).toEqual(result);
  });
});

describe('fields of every item of a list', () => {
  it('leaves an item its other fields where one has no value', () => {
    const assignments = [
      { name: 'half', type: 'number', value: '={{ $json.age / $json.count }}' },
      { name: 'all', type: 'number', value: '={{ ($json.count ?? 0) + $json.age }}' },
    ];
    const { node } = convert({
      nodes: [
        { name: 'Rows', type: base('postgres'), parameters: { operation: 'select', table: 't' } },
        {
          name: 'Set',
          type: base('set'),
          typeVersion: 3.4,
          parameters: { assignments: { assignments }, includeOtherFields: true },
        },
      ],
      connections: { Rows: { main: [[{ node: 'Set' }]] } },
    });
    const [mapping] = (node('Set')?.data['mappings'] ?? []) as { value: string }[];
    const rows = [{ age: 31 }, { age: 30, count: 2 }];
    const scope = createScope({ values: { Rows: { rows } }, now: () => 0, uuid: () => '', random: () => 0 });
    expect(evaluate(mapping?.value ?? '', 'value', scope)).toEqual([
      { age: 31, half: null, all: 31 },
      { age: 30, count: 2, half: 15, all: 32 },
    ]);
  });
});

describe('fields that are handed on', () => {
  const all = { x: { a: 1 }, y: 2, z: 3 };
  const evaluateAll = (field: unknown): unknown =>
    evaluate(
      String(field),
      'value',
      createScope({ values: { Before: { body: [all] } }, now: () => 0, uuid: () => '', random: () => 0 }),
    );
  /** After a request whose answer is one object, or a list of them. */
  const behind = (parameters: JsonObject, isList: boolean) => {
    const { node, lines } = convert({
      nodes: [
        { name: 'Before', type: base('httpRequest'), typeVersion: 4.2, parameters: { url: 'https://e.com' } },
        ...(isList
          ? [{ name: 'Each', type: base('splitOut'), parameters: { fieldToSplitOut: 'rows' } }]
          : []),
        { name: 'Set', type: base('set'), typeVersion: 3.2, parameters },
      ],
      connections: isList
        ? { Before: { main: [[{ node: 'Each' }]] }, Each: { main: [[{ node: 'Set' }]] } }
        : { Before: { main: [[{ node: 'Set' }]] } },
    });
    const mappings = node('Set')?.data['mappings'] as { key: string; value: Json }[];
    return { mappings, lines: lines('Set') };
  };
  const fields = { values: [{ name: 'w', stringValue: '={{ $json.y }}' }] };

  it.each<[string, JsonObject, Json]>([
    ['all', {}, { ...all, w: '2' }],
    ['none', { include: 'none' }, { w: '2' }],
    ['some', { include: 'selected', includeFields: 'x, z' }, { x: { a: 1 }, z: 3, w: '2' }],
    ['none that is named', { include: 'selected' }, { w: '2' }],
    ['all except some', { include: 'except', excludeFields: 'x, y' }, { z: 3, w: '2' }],
  ])('are %s of each item', (_, kept, result) => {
    const { mappings } = behind({ fields, ...kept }, true);
    const scope = createScope({
      values: { Each: { items: [all] } },
      now: () => 0,
      uuid: () => '',
      random: () => 0,
    });
    expect(evaluate(String(mappings[0]?.value), 'value', scope)).toEqual([result]);
  });

  it('are some, or all except some, of one object', () => {
    const some = behind({ fields, include: 'selected', includeFields: 'x, z' }, false);
    expect(some.mappings.map(({ key }) => key)).toEqual(['x', 'z', 'w']);
    expect(
      some.mappings.map(({ value }) => evaluateAll(String(value).replaceAll('body', 'body[0]'))),
    ).toEqual([{ a: 1 }, 3, '2']);
    const { mappings } = behind({ fields, include: 'except', excludeFields: 'x, y' }, false);
    expect(evaluateAll(String(mappings[0]?.value).replaceAll('body', 'body[0]'))).toEqual({ z: 3, w: '2' });
  });

  it.each<[string, JsonObject, Json]>([
    ['selected', { include: 'selected', includeFields: 'x, x' }, { x: '1', y: 2 }],
    ['except', { include: 'except', excludeFields: 'x' }, { y: 2 }],
  ])('are some of them beside fixed JSON: %s', (_, kept, result) => {
    const parameters = { mode: 'raw', jsonOutput: '{"y": 2}', includeOtherFields: true, ...kept };
    const { settings } = one(base('set'), 3.4, parameters);
    const [{ key, value } = { key: '', value: '' }] = settings['mappings'] as {
      key: string;
      value: string;
    }[];
    expect(key).toBe('json');
    expect(evaluateField(value, '1')).toEqual(result);
  });

  it('are said to be read from the node before, where all are kept beside fixed JSON', () => {
    const parameters = { mode: 'raw', jsonOutput: '{"y": 2}', includeOtherFields: true };
    expect(one(base('set'), 3.4, parameters).lines).toEqual([
      expect.stringContaining('Its output has only the fields that it sets'),
    ]);
  });

  it.each([
    ['={{ $json.f }}', 'which fields it keeps or leaves out is an expression'],
    ['a.b', 'are inside objects'],
  ])('cannot be named as %s, for which this node alone is kept', (excludeFields, reason) => {
    const { lines } = convert({
      nodes: [
        { name: 'Rows', type: base('splitOut'), parameters: { fieldToSplitOut: 'rows' } },
        {
          name: 'Set',
          type: base('set'),
          typeVersion: 3.4,
          parameters: { includeOtherFields: true, include: 'except', excludeFields },
        },
        { name: 'Send', type: base('telegram'), parameters: { chatId: '1', text: '={{ $json.w }}' } },
      ],
      connections: { Rows: { main: [[{ node: 'Set' }]] }, Set: { main: [[{ node: 'Send' }]] } },
    });
    expect(lines('Set')[0]).toContain(reason);
    expect(lines('Send').filter((line) => line.includes('kept as it is'))).toEqual([]);
  });

  it('are under those of an object that one expression makes', () => {
    const { settings } = one(base('set'), 3.4, {
      mode: 'raw',
      jsonOutput: '={{ ({ y: $json.x }) }}',
      includeOtherFields: true,
    });
    const [{ value } = { value: '' }] = settings['mappings'] as { value: string }[];
    expect(evaluateField(value, '1')).toEqual({ x: '1', y: '1' });
  });
});

describe('names with dots', () => {
  const assignments = [
    { name: 'a.b', type: 'string', value: '={{ $json.x }}' },
    { name: 'a.c.d', type: 'number', value: '2' },
    { name: 'e', type: 'string', value: 'f' },
  ];

  it('are places in objects', () => {
    const { values, lines } = convertFields(assignments);
    expect(values).toEqual({ e: 'f', a: { b: '1', c: { d: 2 } } });
    expect(lines).toEqual([]);
  });

  it('keep what else is in the object when other fields are kept', () => {
    const inX = [{ name: 'x.b', type: 'string', value: '2' }];
    expect(convertFields(inX, { a: '1', b: '1' }, { includeOtherFields: true }).values).toEqual({
      x: { a: '1', b: '2' },
    });
    expect(convertFields(inX, { a: '1', b: '1' }).values).toEqual({ x: { b: '2' } });
  });

  it('are names where the node says so', () => {
    const { values } = convertFields(assignments, '1', { options: { dotNotation: false } });
    expect(values).toEqual({ 'a.b': '1', 'a.c.d': 2, e: 'f' });
  });

  it('are reported where they are places in lists', () => {
    const { lines } = convertFields([{ name: 'a.b[0]', type: 'string', value: '1' }]);
    expect(lines).toEqual([expect.stringContaining('Names with a dot make one field')]);
  });
});
