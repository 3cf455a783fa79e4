import { expect, test } from 'vitest';
import { unmetNeeds } from './unmet-needs.ts';

const plain = { vision: false, tools: true, structured_output: false, context_window_tokens: 8_192 };
const able = { ...plain, vision: true, structured_output: true };
const schema = { jsonOutputEnabled: true, jsonOutputSchema: '{"type": "object"}' };

test('a node is told what its model is known to lack', () => {
  expect(unmetNeeds(plain, { imageInputEnabled: true, ...schema })).toEqual([
    'takes_no_images',
    'follows_no_schema',
  ]);
});

test.each([
  ['that asks for text alone', plain, {}],
  ['that asks for JSON without a schema', plain, { jsonOutputEnabled: true, jsonOutputSchema: ' ' }],
  ['whose schema is switched off', plain, { ...schema, jsonOutputEnabled: false }],
  ['whose model can do it', able, { imageInputEnabled: true, ...schema }],
  ['of whose model nothing is known', null, { imageInputEnabled: true, ...schema }],
])('a node %s is told nothing', (_, capabilities, data) => {
  expect(unmetNeeds(capabilities, data)).toEqual([]);
});
