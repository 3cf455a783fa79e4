import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CredentialType } from '../credential/index.ts';
import type { JsonObject } from '../json.ts';
import { createCatalog } from '../node-type/catalog.ts';
import { defineNode } from '../node-type/define-node.ts';
import { describe as describeNode, storedParams } from '../node-type/describe.ts';
import { field } from '../node-type/fields.ts';
import { draw, testCatalog, testDefinitions } from '../testing/index.ts';
import { renameLabel } from './rename.ts';
import { summarize } from './summarize.ts';

const bearerType: CredentialType = {
  type: 'bearer',
  title: 'Bearer token',
  group: 'http',
  fields: [],
  masked: () => null,
  expression: () => '',
};

const rich = defineNode({
  type: 'rich',
  title: 'Rich',
  family: 'flow',
  summary: 'All kinds of fields',
  icon: 'star',
  credentials: [bearerType],
  params: z.object({
    text: field.text('Text').default('t'),
    message: field.template('Message', { help: 'What it says' }),
    value: field.value('Value').optional(),
    rows: field.mappings('Rows').default([]),
    plain: field.mappings('Plain rows', { mode: 'literal' }).default([]),
    target: field.custom(z.string(), 'Target', { kind: 'node_label' }).optional(),
    steps: field
      .custom(z.array(z.object({ url: field.template('Url'), note: z.string() })), 'Steps', { kind: 'json' })
      .default([]),
    curl: field.text('Curl', { kind: 'curl' }).default(''),
    count: field.number('Count').default(1),
    list: field.custom(z.array(z.number()), 'List', { kind: 'json', mode: 'raw' }).optional(),
  }),
  output: z.object({ ok: z.boolean() }),
});
const catalog = createCatalog([...testDefinitions, rich]);

describe('renaming a label', () => {
  const rename = (data: JsonObject, type = 'rich'): JsonObject | undefined => {
    const document = draw('old -> user', { user: { type, ...data } });
    const renamed = renameLabel(document, catalog, { node_id: 'old', label: 'fresh' });
    expect(renamed.nodes[0]?.data['label']).toBe('fresh');
    const { label: _, ...rest } = renamed.nodes[1]?.data ?? {};
    return rest;
  };

  it.each<[string, JsonObject, JsonObject]>([
    ['templates', { message: 'Hi $old.name, $older stays' }, { message: 'Hi $fresh.name, $older stays' }],
    ['values', { value: '$old.a + $old.b' }, { value: '$fresh.a + $fresh.b' }],
    [
      'rows',
      { rows: [{ key: 'old', value: '$old' }, 'x'] },
      { rows: [{ key: 'old', value: '$fresh' }, 'x'] },
    ],
    [
      'fields inside lists',
      { steps: [{ url: '$old', note: '$old' }] },
      { steps: [{ url: '$fresh', note: '$old' }] },
    ],
    ['texts that nodes fill in themselves', { curl: 'curl $old.url' }, { curl: 'curl $fresh.url' }],
    ['numbers that are expressions', { count: '$old.n' }, { count: '$fresh.n' }],
    ['labels in parameters', { target: 'old' }, { target: 'fresh' }],
  ])('changes %s', (_, before, after) => {
    expect(rename(before)).toEqual(after);
  });

  it.each<[string, JsonObject]>([
    ['literal text', { text: '$old' }],
    ['rows that are not evaluated', { plain: [{ key: 'a', value: '$old' }] }],
    ['other labels in parameters', { target: 'older' }],
    ['values that are no text', { value: [1], steps: 'odd', list: [1] }],
    ['undeclared keys', { extra: '$old' }],
    ['pinned data', { pinnedData: { text: '$old' } }],
  ])('leaves %s alone', (_, data) => {
    expect(rename(data)).toEqual(data);
  });

  it('changes whole references in nodes of unknown types', () => {
    expect(rename({ deep: [{ a: 'x $old.y $older' }] }, 'foreign')).toEqual({
      deep: [{ a: 'x $fresh.y $older' }],
    });
  });

  it('does nothing for an unknown node or the same label, and refuses reserved ones', () => {
    const document = draw('a -> b');
    expect(renameLabel(document, catalog, { node_id: 'x', label: 'y' })).toBe(document);
    expect(renameLabel(document, catalog, { node_id: 'a', label: 'a' })).toBe(document);
    expect(() => renameLabel(document, catalog, { node_id: 'a', label: '__proto__' })).toThrow('reserved');
  });
});

describe('summaries', () => {
  const input = defineNode({
    type: 'form',
    title: 'Form',
    family: 'trigger',
    summary: '',
    icon: '',
    traits: { role: 'trigger' },
    params: z.object({
      inputFields: field.custom(z.array(z.unknown()), 'Fields', { kind: 'input_fields' }).default([]),
    }),
  });
  const forms = createCatalog([...testDefinitions, input]);

  it('name the first start node, its fields and the output', () => {
    const document = draw('hint\noff -> a\nform -> a -> leaf\na -> out', {
      hint: 'note',
      off: { type: 'trigger', active: false },
      form: { type: 'form', inputFields: [{ key: 'text' }, { key: 'n', defaultValue: 5 }, { key: '' }, 'x'] },
      out: { type: 'output', message: '$a' },
    });
    expect(summarize(document, forms)).toEqual({
      first_node_type: 'form',
      input_fields: [{ key: 'text' }, { key: 'n', defaultValue: 5 }],
      output_node: { label: 'out', node_type: 'output', output_expression: '$a' },
      triggers: [
        { node_id: 'off', node_type: 'trigger', active: false },
        { node_id: 'form', node_type: 'form', active: true },
      ],
      all_starts_inactive: false,
      is_web_page: false,
    });
  });

  it('fall back step by step', () => {
    const inactive = draw('start -> a -> page', {
      start: { type: 'trigger', active: false },
      page: { type: 'html', html: 'x' },
    });
    expect(summarize(inactive, forms)).toMatchObject({
      first_node_type: 'step',
      all_starts_inactive: true,
      is_web_page: true,
    });
    expect(summarize(draw(''), forms)).toMatchObject({
      first_node_type: null,
      output_node: null,
      all_starts_inactive: false,
    });
    expect(summarize(draw('form', { form: 'form' }), forms).input_fields).toEqual([{ key: 'text' }]);
    const mapper = draw('start -> leaf\nstart -> map', { map: { type: 'json', mappings: [] } });
    expect(summarize(mapper, forms).output_node).toMatchObject({ node_type: 'json', output_expression: [] });
    const unnamed = draw('a', { a: { type: 'odd', label: 1 } });
    expect(summarize(unnamed, forms).output_node).toEqual({
      label: 'a',
      node_type: 'odd',
      output_expression: null,
    });
  });
});

describe('descriptions of node types', () => {
  it('are plain JSON with parameters, defaults and schemas', () => {
    const described = describeNode(rich);
    expect(JSON.parse(JSON.stringify(described))).toEqual(described);
    expect(described.params.find(({ name }) => name === 'message')).toMatchObject({
      required: true,
      schema: { type: 'string' },
    });
    expect(described.params.find(({ name }) => name === 'text')).toMatchObject({
      required: false,
      default: 't',
    });
    expect(described.output_schema).toMatchObject({ type: 'object' });
    expect(describeNode(testDefinitions[0] ?? rich).output_schema).toBeNull();
  });

  it('say that evaluated fields also take expression text', () => {
    const schema = storedParams(rich);
    expect(schema['required']).toEqual(['message']);
    const properties = schema['properties'] as Record<string, JsonObject>;
    expect(properties['list']?.['anyOf']).toMatchObject([{ type: 'array' }, { type: 'string' }]);
    expect(properties['count']).toMatchObject({ type: 'number', title: 'Count' });
    expect(properties['message']).toMatchObject({ type: 'string', description: 'What it says' });
    expect(JSON.stringify(schema)).not.toContain('"mode"');
  });

  it('exist for every type of the test catalogue', () => {
    expect(testCatalog.all.map(describeNode)).toHaveLength(testDefinitions.length);
  });
});
