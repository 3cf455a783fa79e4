import { expect, test } from 'vitest';
import { requireCapable } from './capable.ts';

const IMAGE = {
  messages: [{ role: 'user' as const, text: 'What is this?', images: ['https://a.example/b.png'] }],
};
const SCHEMA = { messages: [], json: { schema: { type: 'object' } } };

test.each([
  ['gpt-3.5-turbo', IMAGE, 'cannot be gpt-3.5-turbo, which takes no images; choose another model'],
  ['o3-mini', IMAGE, 'cannot be o3-mini, which takes no images; choose another model'],
  ['gpt-4', SCHEMA, 'cannot be gpt-4, which cannot answer by a JSON Schema; choose another model'],
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
