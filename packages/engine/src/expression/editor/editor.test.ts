// cspell:ignore ordre
import { describe, expect, it } from 'vitest';
import {
  buildSample,
  complete,
  createScope,
  inlineExplain,
  preview,
  previewScope,
  renameReference,
} from '../index.ts';

const values = {
  input: { body: { items: [{ id: 1, name: 'Ada', 'odd key': 2 }] } },
  order: { total: 5, customer: { name: 'Bob' } },
};
const environment = { now: () => 0, uuid: () => 'u', random: () => 0 };
const scope = createScope({ values, ...environment });

function labels(text: string, cursor = text.length, mode?: 'value' | 'template' | 'condition'): string[] {
  return complete(text, cursor, { values, ...(mode === undefined ? {} : { mode }) }).map(
    (found) => found.label,
  );
}

describe('renameReference', () => {
  it('renames in text, arguments, quoted arguments and item expressions', () => {
    const text = 'Hi $order.total $len(order.items) $a.map("item + $order.x") $concat("$order.y")';
    expect(renameReference(text, 'template', { from: 'order', to: 'sale' })).toBe(
      'Hi $sale.total $len(sale.items) $a.map("item + $sale.x") $concat("$sale.y")',
    );
  });

  it('leaves keys, methods, loop variables and plain words alone', () => {
    const text = 'order $a.order $a.b.order() $[order for order in x]';
    expect(renameReference(text, 'template', { from: 'order', to: 'sale' })).toBe(text);
    expect(renameReference('$orders.x', 'template', { from: 'order', to: 'sale' })).toBe('$orders.x');
  });

  it('renames bare names only where the mode reads them', () => {
    expect(renameReference('$a > 1 and order', 'value', { from: 'order', to: 'sale' })).toBe(
      '$a > 1 and sale',
    );
    expect(renameReference('order of $a', 'value', { from: 'order', to: 'sale' })).toBe('order of $a');
    expect(renameReference('$order', 'literal', { from: 'order', to: 'sale' })).toBe('$order');
  });

  it('does not write a label that no reference can spell', () => {
    expect(renameReference('$order', 'value', { from: 'order', to: 'my sale' })).toBe('$order');
  });
});

describe('preview', () => {
  it('answers with the value, its type and whether the type is kept', () => {
    expect(preview({ expression: '$order.total + 1', scope })).toEqual({
      result: 6,
      result_type: 'number',
      preserved_type: true,
      error: null,
      selected_loop_total: null,
    });
    expect(preview({ expression: 'Hi $order.customer.name', scope })).toMatchObject({
      result: 'Hi Bob',
      result_type: 'string',
      preserved_type: false,
    });
  });

  it('reads a plain dot path as if it had its sign, but not one with a line break', () => {
    expect(preview({ expression: 'order.customer.name', scope }).result).toBe('Bob');
    expect(preview({ expression: 'order', scope }).result_type).toBe('object');
    expect(preview({ expression: 'hello', scope }).result).toBe('hello');
    expect(preview({ expression: 'order.total\n', scope }).result).toBe('order.total\n');
  });

  it('answers with an error instead of throwing', () => {
    expect(preview({ expression: '$range(3, 1)', scope })).toMatchObject({
      result: null,
      result_type: 'null',
      error: 'range(3, 1) runs backwards.',
    });
    expect(preview({ expression: 'x'.repeat(10_001), scope }).error).toContain('10000');
  });

  it('builds its scope of node results, and picks one round of a loop', () => {
    const round = (index: number) => ({
      item: `i${index}`,
      index,
      total: 3,
      isFirst: false,
      isLast: false,
      branch: 'loop',
    });
    const sources = {
      ...environment,
      node_results: [
        { node_id: '1', label: 'start', output: { text: 'hi' } },
        ...[0, 1, 2].map((index) => ({ node_id: '2', label: 'loop', output: round(index) })),
      ],
      input_labels: ['loop'],
      selected_loop_iteration_index: 1,
      values: { vars: { v: 1 } },
    };
    const { scope: built, selected_loop_total } = previewScope(sources);
    expect(selected_loop_total).toBe(3);
    expect(
      preview({
        expression: '$loop.item $item $input.item $start.text $vars.v',
        mode: 'template',
        scope: built,
      }).result,
    ).toBe('i1 i1 i1 hi 1');
  });

  describe('inside a loop that has ended', () => {
    const node_results = [
      { node_id: 's', label: 'start', output: { list: ['a', 'b'] } },
      { node_id: 'l', label: 'each', output: { item: 'a', index: 0, total: 2, branch: 'loop' } },
      { node_id: 'w', label: 'work', output: { seen: 'a' } },
      { node_id: 'v', label: 'keep', output: { name: 'last', value: 'a', type: 'string' } },
      { node_id: 'l', label: 'each', output: { item: 'b', index: 1, total: 2, branch: 'loop' } },
      { node_id: 'w', label: 'work', output: { seen: 'b' } },
      { node_id: 'v', label: 'keep', output: { name: 'last', value: 'b', type: 'string' } },
      { node_id: 'l', label: 'each', output: { results: [], total: 2, branch: 'done' } },
    ];
    const show = (expression: string, loop_label: string | null, index: number | null = null) => {
      const { scope: built, selected_loop_total } = previewScope({
        ...environment,
        node_results,
        input_labels: ['work'],
        loop_label,
        selected_loop_iteration_index: index,
        variable_labels: new Set(['keep']),
        values: { vars: {}, global: { last: 'stored', rate: 2 } },
      });
      return [preview({ expression, scope: built }).result, selected_loop_total];
    };

    it('a node of the body sees its round, and its neighbours as they were in it', () => {
      expect(show('$each.item', 'each', 0)).toEqual(['a', 2]);
      expect(show('$work.seen', 'each', 0)).toEqual(['a', 2]);
      expect(show('$input.seen', 'each', 0)).toEqual(['a', 2]);
      expect(show('$vars.last', 'each', 0)).toEqual(['a', 2]);
    });

    it('a node of the body sees the last round when none is chosen', () => {
      expect(show('$each.item', 'each')).toEqual(['b', 2]);
    });

    it('a node behind sees the end, and no rounds to choose from', () => {
      expect(show('$each.branch', null)).toEqual(['done', null]);
      expect(show('$each.item', null, 0)).toEqual(['a', 2]);
    });

    it('variables are those that the nodes set, also as $global', () => {
      expect(show('$[vars.last, global.last, global.rate]', null)).toEqual([['b', 'b', 2], null]);
    });
  });

  it('names mean what they mean in a run: `input` reads every input, and no label hides `vars`', () => {
    const { scope: built } = previewScope({
      ...environment,
      node_results: [
        { node_id: '1', label: 'one', output: { x: 1, both: 'one' } },
        { node_id: '2', label: 'two', output: { y: 2, both: 'two' } },
        { node_id: '3', label: 'vars', output: { v: 'label' } },
      ],
      input_labels: ['one', 'two'],
      values: { vars: { v: 'variable' } },
    });
    const expression = '$[input.x, input.y, input.both, input.two.y, vars.v]';
    expect(preview({ expression, scope: built }).result).toEqual([1, 2, 'two', 2, 'variable']);
  });

  it('takes the sample body when nothing has run', () => {
    const { scope: built } = previewScope({
      ...environment,
      node_results: [],
      input_labels: ['start'],
      input_body: { text: 'hi' },
    });
    expect(preview({ expression: '$input.body.text $text', mode: 'template', scope: built }).result).toBe(
      'hi hi',
    );
  });
});

describe('inlineExplain', () => {
  it.each<[string, readonly object[]]>([
    ['$order.amount > 50', [{ text: '$order.amount', is_numeric: true }]],
    ['50 <= $order.amount', [{ text: '$order.amount', is_numeric: true }]],
    ['$order.customer.name == 3 or $order.total > 1', [{ text: '$order.customer.name', is_numeric: false }]],
    ['$order.total > 50', []],
    ['$float(order.amount) > 50', []],
    ['$order.customer.name == "Bob"', []],
    ['$order.missing > 50', []],
  ])('says which text %s compares with a number', (expression, mixed) => {
    const amounts = createScope({
      ...environment,
      values: { order: { amount: '80', total: 80, customer: { name: 'Bob' } } },
    });
    expect(inlineExplain(expression, 'condition', { scope: amounts }).mixed).toEqual(
      mixed.map((found) => expect.objectContaining(found)),
    );
  });

  it('gives every part with its place, value and type', () => {
    const { result, parts } = inlineExplain('$order.total * 2 + 1', 'value', { scope });
    expect(result).toBe(11);
    expect(parts.map(({ text, value, type, depth }) => [text, value, type, depth])).toEqual([
      ['$order.total * 2 + 1', 11, 'number', 0],
      ['$order.total * 2', 10, 'number', 1],
      ['$order.total', 5, 'number', 2],
      ['$order', values.order, 'object', 3],
    ]);
  });

  it('names the key at which a reference leads nowhere, what there is, and the nearest name', () => {
    const { missing } = inlineExplain('Hi $order.customer.nme', 'template', { scope });
    expect(missing).toEqual([
      {
        text: '$order.customer.nme',
        start: 3,
        end: 22,
        missing: 'nme',
        available: ['name'],
        suggestion: 'name',
      },
    ]);
  });

  it('names a node that is not there', () => {
    const { missing } = inlineExplain('$ordre.total', 'value', { scope, names: ['order', 'input'] });
    expect(missing[0]).toMatchObject({ missing: 'ordre', suggestion: 'order' });
  });

  it('says why an operation has no result', () => {
    const { parts, error } = inlineExplain('$order.customer > 3', 'value', { scope });
    expect(error).toBeNull();
    expect(parts[0]?.failure).toBe('object and number have no order.');
  });
});

describe('complete', () => {
  it('offers names and functions behind the sign', () => {
    expect(labels('Hi $or')[0]).toBe('order');
    expect(labels('Hi $le')).toContain('len');
    expect(labels('$')).toEqual(expect.arrayContaining(['input', 'order', 'now', 'UUID', 'concat']));
  });

  it('offers nothing in plain text', () => {
    expect(labels('order.')).toEqual([]);
    expect(labels('Hello or')).toEqual([]);
  });

  it('offers keys before methods, by the type of the value', () => {
    expect(labels('$order.')).toEqual(expect.arrayContaining(['total', 'customer', 'keys', 'entries']));
    expect(labels('$order.')[0]).toBe('total');
    expect(labels('$order.customer.name.')).toContain('upper');
    expect(labels('$order.customer.name.')).not.toContain('filter');
    expect(labels('$input.body.items.')).toContain('filter');
    expect(labels('$now.')).toContain('addDays');
    expect(labels('$now.addDays(1).for')).toEqual(['format']);
  });

  it('follows methods and positions', () => {
    expect(labels('$input.body.items[0].')).toContain('name');
    expect(labels('$input.body.items.first().na')[0]).toBe('name');
    expect(labels('$input.body.items.map("item.name").')).toContain('join');
  });

  it('knows the element inside an item expression', () => {
    expect(labels('$input.body.items.filter("it')[0]).toBe('item');
    expect(labels('$input.body.items.filter("item.')).toEqual(expect.arrayContaining(['id', 'name']));
    expect(labels('$order.map("item.')).toEqual(expect.arrayContaining(['key', 'value']));
  });

  it('offers bare names inside arguments and behind operators of an expression', () => {
    expect(labels('$concat(or')).toContain('order');
    expect(labels('$order.total > or', undefined, 'value')).toContain('order');
  });

  it('writes a key that is no identifier in brackets, in place of the dot', () => {
    const text = '$input.body.items[0].odd';
    const [found] = complete(text, text.length, { values });
    expect(found).toMatchObject({ label: 'odd key', insert: '["odd key"]', from: text.indexOf('.odd') });
  });

  it('offers what is called by its other names too, as they are typed', () => {
    const text = '$order.customer.name.toUp';
    expect(complete(text, text.length, { values })).toMatchObject([
      { label: 'toUpperCase', insert: 'toUpperCase(', from: text.length - 4 },
    ]);
    expect(labels('$order.customer.name.up')).toContain('upper');
    expect(labels('$order.customer.name.')).not.toContain('toUpperCase');
  });

  it('describes what it offers', () => {
    const [found] = complete('$input.body.items.filt', 22, { values });
    expect(found).toMatchObject({ kind: 'method', detail: 'filter("item…")', insert: 'filter(' });
    expect(found?.doc).not.toBe('');
  });

  it('completes nodes that have never run by the shape of their output', () => {
    const schema = {
      type: 'object',
      properties: {
        status: { type: 'integer' },
        rows: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } } } },
      },
    };
    const shaped = { http: buildSample(schema) };
    const found = complete('$http.rows[0].', 14, { values: shaped }).map((completion) => completion.label);
    expect(found[0]).toBe('id');
  });
});
