import { expect, test } from 'vitest';
import { findCapabilities } from './capabilities.ts';

test.each([
  [
    'openai',
    'gpt-4o-2024-08-06',
    { vision: true, tools: true, structured_output: true, context_window_tokens: 128_000 },
  ],
  ['openai', 'gpt-3.5-turbo-0125', { vision: false, tools: true, structured_output: false }],
  ['openai', 'o3-mini', { vision: false, tools: true, structured_output: true }],
  ['anthropic', 'claude-haiku-4-5-20251001', { vision: true, context_window_tokens: 200_000 }],
  ['google', 'gemini-2.0-flash-001', { context_window_tokens: 1_048_576 }],
])('%s %s has what its page says', (provider, model, expected) => {
  expect(findCapabilities(provider, model)).toMatchObject(expected);
});

test.each([
  ['openai', 'gpt-4o-audio-preview'],
  ['openai', 'gpt-4-32k'],
  ['compatible', 'gpt-3.5-turbo'],
  [undefined, 'gpt-4o'],
])('of %s %s nothing is known', (provider, model) => {
  expect(findCapabilities(provider, model)).toBeUndefined();
});
