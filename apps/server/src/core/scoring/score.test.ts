import { expect, test } from 'vitest';
import { type Expected, expectationProblem, scoreAnswer } from './score.ts';

const text = (value: string): Expected => ({ text: value, mode: 'text' });
const json = (value: unknown): Expected => ({ text: JSON.stringify(value), mode: 'json' });

test.each([
  ['exact_match', ' Paris\n', text('Paris'), true],
  ['exact_match', 'paris', text('Paris'), false],
  ['exact_match', 'Paris, France', text('Paris'), false],
  ['exact_match', '{"b":[1,2],"a":null}', json({ a: null, b: [1, 2] }), true],
  ['exact_match', '```json\n{"a":1}\n```', json({ a: 1 }), true],
  ['exact_match', '{"a":1,"b":2}', json({ a: 1 }), false],
  ['exact_match', '[2,1]', json([1, 2]), false],
  ['contains', 'It is PARIS.', text(' paris '), true],
  ['contains', 'It is Rome.', text('Paris'), false],
  ['contains', '{"a":{"x":1,"y":2},"b":3}', json({ a: { y: 2 } }), true],
  ['contains', '{"list":[{"id":1,"n":"a"},{"id":2}]}', json({ list: [{ id: 2 }] }), true],
  ['contains', '{"list":[{"id":1}]}', json({ list: [{ id: 2 }] }), false],
  ['contains', '{"a":{}}', json({ toString: 1 }), false],
  ['contains', '{"a":"1"}', json({ a: 1 }), false],
  ['schema', '{"n":1,"more":true}', text('{"type":"object","properties":{"n":{"type":"integer"}}}'), true],
  ['schema', '{"n":"1"}', text('{"type":"object","properties":{"n":{"type":"integer"}}}'), false],
  ['schema', '{}', text('{"type":"object","required":["n"],"properties":{"n":{}}}'), false],
] as const)('%s of %j', (method, answer, expected, is_pass) => {
  expect(scoreAnswer(method, answer, expected)).toMatchObject({ score: is_pass ? 'pass' : 'fail', is_pass });
});

test.each([
  ['schema', 'no', text('{"type":"object"}'), /^The answer is not JSON/],
  ['schema', '{"n":"1"}', text('{"properties":{"n":{"type":"number"}},"type":"object"}'), /"n"/],
  ['exact_match', 'no', json({ a: 1 }), /^The answer is not JSON/],
] as const)('%s says why an answer fails', (method, answer, expected, why) => {
  expect(scoreAnswer(method, answer, expected).explanation).toMatch(why);
});

test.each([
  ['schema', text('{'), /is not JSON/],
  ['schema', text('[1]'), /must be a JSON object/],
  ['contains', text('  '), /is empty/],
  ['exact_match', { text: '{', mode: 'json' }, /is not JSON/],
  ['exact_match', text(''), undefined],
  ['llm_judge', text(''), undefined],
  ['schema', text('{"type":"object"}'), undefined],
] as const)('%s may not be used with every expected output', (method, expected, problem) => {
  const found = expectationProblem(method, expected);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(problem);
});
