import { expect, test } from 'vitest';
import { extractJson, jsonProblem, toDraft } from './json-draft.ts';

const ARGUMENTS = JSON.stringify({ to: 'ada@example.com', text: 'Run\n```\nls\n```' }, null, 2);

test('§6.3 the arguments of a tool are edited as JSON, and become the draft that they came from', () => {
  expect(extractJson(toDraft(ARGUMENTS))).toBe(ARGUMENTS);
  expect(extractJson(`\n${toDraft('[1, 2]')}\n`)).toBe('[1, 2]');
});

test.each([
  ['text', 'Dear Ada'],
  ['text around a block', `See:\n${toDraft('{}')}`],
  ['two blocks', `${toDraft('{}')}\n\n${toDraft('{}')}`],
  ['a block that is no JSON', toDraft('{"to":')],
  ['a block of another language', '```js\n{}\n```'],
])('a draft with %s is edited as Markdown', (_, draft) => {
  expect(extractJson(draft)).toBeUndefined();
});

test('what the run could not continue with is named before it is sent', () => {
  expect(jsonProblem('{"to": "ada@example.com"}', ARGUMENTS)).toBeUndefined();
  expect(jsonProblem('{"to": ada}', ARGUMENTS)).toBe('not_json');
  expect(jsonProblem('', ARGUMENTS)).toBe('not_json');
  expect(jsonProblem('["ada"]', ARGUMENTS)).toBe('not_object');
  expect(jsonProblem('"ada"', '[1]')).toBeUndefined();
});
