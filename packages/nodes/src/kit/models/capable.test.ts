import { expect, test } from 'vitest';
import { requireCapable } from './capable.ts';

const IMAGE = {
  messages: [{ role: 'user' as const, text: 'What is this?', images: ['https://a.example/b.png'] }],
};
const SCHEMA = { messages: [], json: { schema: { type: 'object' } } };

test.each([
  ['gpt-3.5-turbo', IMAGE, 'the model gpt-3.5-turbo takes no images; choose another one'],
  ['o3-mini', IMAGE, 'the model o3-mini takes no images; choose another one'],
  ['gpt-4', SCHEMA, 'the model gpt-4 does not support answers by a JSON Schema; choose another one'],
])('%s is refused what it is known to lack', (model, request, words) => {
  expect(() => requireCapable({ provider: 'openai' }, model, request)).toThrow(words);
});

test.each([
  ['openai', 'gpt-4o', IMAGE],
  ['openai', 'o3-mini', SCHEMA],
  ['openai', 'gpt-4', { messages: [], json: {} }],
  ['openai', 'a-model-of-tomorrow', IMAGE],
  ['compatible', 'gpt-3.5-turbo', IMAGE],
] as const)('%s %s is asked', (provider, model, request) => {
  expect(() => requireCapable({ provider }, model, request)).not.toThrow();
});
