import { createScope, evaluate, type Json, type JsonObject } from '@millrace/engine';
import { describe, expect, it } from 'vitest';
import { base, convert } from '../testing/converted.ts';

const main = (...targets: readonly string[]): JsonObject => ({
  main: [targets.map((node) => ({ node, type: 'main', index: 0 }))],
});
const evaluateCode = (code: unknown, values: JsonObject): unknown =>
  evaluate(String(code), 'value', createScope({ values, now: () => 0, uuid: () => '', random: () => 0 }));

const request = (name: string, rest: JsonObject = {}): JsonObject => ({
  name,
  type: base('httpRequest'),
  typeVersion: 4.2,
  parameters: { url: 'https://api.example.com/people' },
  ...rest,
});
const send: JsonObject = {
  name: 'Send',
  type: base('httpRequest'),
  typeVersion: 4.2,
  parameters: { method: 'POST', url: '=https://api.example.com/mail?to={{ $json.to }}' },
};
const fields: JsonObject = {
  name: 'Fields',
  type: base('set'),
  typeVersion: 3.4,
  parameters: {
    assignments: { assignments: [{ name: 'to', value: '={{ $json.mail }}', type: 'string' }] },
  },
};
const keep: JsonObject = {
  name: 'Keep',
  type: base('filter'),
  typeVersion: 2.2,
  parameters: {
    conditions: {
      combinator: 'and',
      conditions: [
        { leftValue: '={{ $json.mail }}', rightValue: '', operator: { type: 'string', operation: 'exists' } },
      ],
    },
  },
};
const plain = (name: string, type: string, parameters: JsonObject = {}): JsonObject => ({
  name,
  type: base(type),
  typeVersion: 1,
  parameters,
});

const code = (jsCode: string): JsonObject => plain('Code', 'code', { jsCode });

/** Nodes one after the other, behind a manual trigger. */
function inRow(nodes: readonly JsonObject[], rest: JsonObject = {}) {
  const all = [plain('Start', 'manualTrigger'), ...nodes];
  const names = all.map(({ name }) => String(name));
  const connections = Object.fromEntries(
    names.slice(0, -1).map((name, index) => [name, main(names[index + 1] ?? '')]),
  );
  return convert({ nodes: all, connections, ...rest });
}

const readList = ({ node }: ReturnType<typeof convert>, values: JsonObject): unknown =>
  evaluateCode((node('GetList')?.data['mappings'] as { value: Json }[] | undefined)?.[0]?.value, values);

describe('an answer that may be one object or a list', () => {
  const limit = plain('Limit', 'limit', { maxItems: 2 });

  it('is a list where nodes for lists follow nodes that n8n runs for each item', () => {
    const converted = inRow([request('Get'), fields, limit, send]);
    expect(converted.edges).toContain('Get:>GetList:');
    expect(converted.edges).toContain('GetList:>Fields:');
    expect(readList(converted, { Get: { body: [{ mail: 'a' }, { mail: 'b' }] } })).toEqual([
      { mail: 'a' },
      { mail: 'b' },
    ]);
    expect(readList(converted, { Get: { body: { mail: 'a' } } })).toEqual([{ mail: 'a' }]);
    const [mapping] = (converted.node('Fields')?.data['mappings'] ?? []) as { value: Json }[];
    expect(evaluateCode(mapping?.value, { GetList: { items: [{ mail: 'a' }, { mail: 'b' }] } })).toEqual([
      { to: 'a' },
      { to: 'b' },
    ]);
    expect(converted.node('SendLoop')).toBeDefined();
    expect(converted.lines('Fields')).toEqual([]);
  });

  it.each<[string, readonly JsonObject[]]>([
    ['a filter', [fields, keep]],
    ['a filter at once', [keep, send]],
    ['a loop', [fields, plain('Loop', 'splitInBatches', { batchSize: 1 })]],
    ['code that reads all items', [fields, code('return $input.all()')]],
    ['code that reads the items', [fields, code('return items.map((one) => one)')]],
    ['a list of another version', [fields, plain('Lists', 'itemLists', { operation: 'removeDuplicates' })]],
  ])('is a list before %s', (_name, nodes) => {
    expect(inRow([request('Get'), ...nodes]).node('GetList')).toMatchObject({ type: 'set' });
  });

  it.each<[string, readonly JsonObject[], JsonObject]>([
    ['nothing says that it is a list', [fields, send], {}],
    ['a node for lists follows at once', [limit], {}],
    ['the list is that of another answer', [send, limit], {}],
    ['a list is taken out of it', [fields, plain('Lists', 'itemLists')], {}],
    [
      'code has a list of its own',
      [fields, code('const items = $json.data; for (const x of items) use(x)')],
      {},
    ],
    ['code reads a list of an object', [fields, code('return $json.items.map((x) => ({ json: x }))')], {}],
    ['a node reads it as a file', [plain('Extract', 'extractFromFile', { operation: 'csv' }), limit], {}],
    ['the node for lists is switched off', [fields, { ...limit, disabled: true }], {}],
    ['after an error the same nodes run', [fields, limit], { onError: 'continueRegularOutput' }],
  ])('stays as it is where %s', (_name, nodes, rest) => {
    expect(inRow([request('Get', rest), ...nodes]).node('GetList')).toBeUndefined();
  });

  it('has one empty item where there is none, when n8n always hands on data', () => {
    const converted = inRow([request('Get', { alwaysOutputData: true }), fields, limit]);
    expect(readList(converted, { Get: { body: [] } })).toEqual([{}]);
    expect(converted.lines('Get')).toEqual([]);
  });

  it('is a list where several items are pinned, which are its body here', () => {
    const items = [{ json: { mail: 'a' } }, { json: { mail: 'b' } }];
    const converted = inRow([request('Get'), fields], { pinData: { Get: items } });
    expect(converted.node('Get')?.data['pinnedData']).toEqual({ body: [{ mail: 'a' }, { mail: 'b' }] });
    expect(converted.node('GetList')).toBeDefined();
    expect(converted.lines('Get')).toEqual([]);
  });
});

describe('pinned data', () => {
  const rows: JsonObject = plain('Rows', 'postgres', { operation: 'select', table: 't' });
  it.each<[string, JsonObject, JsonObject[], Json | undefined]>([
    ['an answer', request('Get'), [{ json: { mail: 'a' } }], { body: { mail: 'a' } }],
    ['rows', { ...rows, name: 'Get' }, [{ id: 1 }, { id: 2 }], { rows: [{ id: 1 }, { id: 2 }] }],
    [
      'fields with other names',
      request('Get', {
        parameters: {
          url: 'https://a.example.com',
          options: { response: { response: { fullResponse: true } } },
        },
      }),
      [{ json: { statusCode: 200, body: 'x' } }],
      { status: 200, body: 'x' },
    ],
  ])('of %s has the shape that the output has here', (_name, node, items, output) => {
    const converted = inRow([node], { pinData: { Get: items } });
    expect(converted.node('Get')?.data['pinnedData']).toEqual(output);
    expect(converted.lines('Get').filter((line) => line.includes('pinned'))).toEqual([]);
  });
});
