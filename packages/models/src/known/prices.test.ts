import { expect, test } from 'vitest';
import { computeCost } from './prices.ts';

const usage = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500 };

test.each([
  ['openai', 'gpt-4o', 0.0075],
  ['openai', 'gpt-4o-2024-08-06', 0.0075],
  ['openai', 'gpt-4o-mini', 0.00045],
  ['openai', 'gpt-5-codex', 0.00625],
  ['openai', 'gpt-5.1-codex', 0.00625],
  ['openai', 'gpt-5.1-codex-mini', 0.00125],
  ['anthropic', 'claude-sonnet-4-5-20250929', 0.0105],
  ['anthropic', 'claude-sonnet-4-0', 0.0105],
  ['google', 'gemini-2.5-flash-lite', 0.0003],
  ['google', 'gemini-2.0-flash-001', 0.0003],
])('a call of %s %s costs its list price', (provider, model, cost) => {
  expect(computeCost({ provider, model, usage })).toBeCloseTo(cost, 10);
});

test.each([
  ['openai', 'gpt-4o-audio-preview'],
  ['openai', 'claude-sonnet-4-5'],
  ['anthropic', 'claude-opus-4-9'],
  ['openai', 'gpt-5-pro'],
  ['compatible', 'gpt-4o'],
  [undefined, 'gpt-4o'],
])('a call of %s %s has no known price', (provider, model) => {
  expect(computeCost({ provider, model, usage })).toBeNull();
});

test('a long prompt has the price of long prompts', () => {
  const long = { prompt_tokens: 300_000, completion_tokens: 0, total_tokens: 300_000 };
  expect(computeCost({ provider: 'google', model: 'gemini-2.5-pro', usage: long })).toBeCloseTo(0.75, 10);
});

test('own prices come before the list and count for every provider', () => {
  const own = { 'gpt-4o': { input: 10, output: 0 }, local: { input: 0, output: 0 } };
  expect(computeCost({ provider: 'openai', model: 'gpt-4o', usage }, own)).toBeCloseTo(0.01, 10);
  expect(computeCost({ provider: 'compatible', model: 'local', usage }, own)).toBe(0);
  expect(computeCost({ provider: 'compatible', model: 'toString', usage }, own)).toBeNull();
});

test('cached tokens have a price where one is known, also among own prices and on long prompts', () => {
  const cached = { prompt_tokens: 1_000, completion_tokens: 0, total_tokens: 1_000, cached_tokens: 400 };
  const cost = (provider: string, model: string, own = {}) =>
    computeCost({ provider, model, usage: cached }, own);
  expect(cost('openai', 'gpt-4o')).toBeCloseTo(0.002, 10);
  expect(cost('anthropic', 'claude-haiku-4-5')).toBeCloseTo(0.000_64, 10);
  expect(cost('anthropic', 'claude-opus-5-5')).toBeCloseTo(0.002_48, 10);
  expect(cost('google', 'gemini-2.5-flash')).toBeCloseTo(0.000_192, 10);
  expect(cost('compatible', 'local', { local: { input: 10, output: 0, cached: 1 } })).toBeCloseTo(0.0064, 10);
  const long = { input: 1, output: 0, cached: 0.5, long: { above: 500, input: 2, output: 0 } };
  expect(cost('compatible', 'local', { local: long })).toBeCloseTo(0.0016, 10);
  expect(cost('compatible', 'local', { local: { input: 0, output: 0, cached: 0 } })).toBe(0);
});

test('tokens that are put into a cache cost more where a price says so, beside those that are read from it', () => {
  const written = {
    prompt_tokens: 1_000,
    completion_tokens: 0,
    total_tokens: 1_000,
    cached_tokens: 400,
    cache_write_tokens: 200,
  };
  const cost = (provider: string, model: string, own = {}) =>
    computeCost({ provider, model, usage: written }, own);
  expect(cost('anthropic', 'claude-haiku-4-5')).toBeCloseTo(0.000_69, 10);
  expect(cost('openai', 'gpt-4o')).toBeCloseTo(0.002, 10);
  expect(cost('compatible', 'local', { local: { input: 10, output: 0, cache_write: 20 } })).toBeCloseTo(
    0.012,
    10,
  );
  const long = { input: 1, output: 0, cache_write: 2, long: { above: 500, input: 2, output: 0 } };
  expect(cost('compatible', 'local', { local: long })).toBeCloseTo(0.0024, 10);
});

test('without a count of tokens there is no cost', () => {
  expect(computeCost({ provider: 'openai', model: 'gpt-4o', usage: null })).toBeNull();
});
