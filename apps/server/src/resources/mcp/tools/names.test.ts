import { expect, test } from 'vitest';
import { uniqueNames } from './names.ts';

const toToolNames = (...workflows: string[]) => [...uniqueNames(workflows.map((name) => ({ name }))).keys()];

test('names are lower case; spaces and dashes become underscores, other signs are dropped', () => {
  expect(toToolNames('Send the Weekly-Report (v2)!', 'a.b/c', 'Überblick', '__x__')).toEqual([
    'send_the_weekly_report_v2',
    'abc',
    'berblick',
    '__x__',
  ]);
});

test('what leaves nothing is called workflow', () => {
  expect(toToolNames('日本', '---', '')).toEqual(['workflow', 'workflow_2', 'workflow_3']);
});

test('a later workflow never takes the name of an earlier one', () => {
  expect(toToolNames('x', 'X', 'x 2')).toEqual(['x', 'x_2', 'x_2_2']);
});

test('long names are cut', () => {
  const [one, two] = toToolNames('n'.repeat(300), 'n'.repeat(200));
  expect(one).toHaveLength(60);
  expect(two).toBe(`${one}_2`);
});
