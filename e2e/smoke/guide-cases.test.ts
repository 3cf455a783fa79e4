import { expect, test } from 'vitest';
import { caseOfGuide } from './guide-cases.ts';

const toCase = (example: object) =>
  caseOfGuide('set', `\`\`\`json example\n${JSON.stringify(example)}\n\`\`\`\n`);
const result = { output: { n: 1 } };

test('an example with one value, or none, is a case', () => {
  expect(toCase({ data: {}, result })).toBeDefined();
  expect(toCase({ data: {}, inputs: { start: { n: 1 } }, result })).toBeDefined();
});

test.each([
  ['two values', { data: {}, inputs: { a: {}, b: {} }, result }],
  ['a value that no call can send', { data: {}, inputs: { start: [1] }, result }],
  ['a service', { data: {}, answer: { status: 200 }, result }],
  ['a failure', { data: {}, result: { failure: { kind: 'params' } } }],
  ['no result', { data: {} }],
])('an example with %s is none', (_what, example) => expect(toCase(example)).toBeUndefined());

test('a guide without an example is none', () => expect(caseOfGuide('set', '# Set')).toBeUndefined());
