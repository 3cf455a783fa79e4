import { expect, test } from 'vitest';
import { listFiles, skillRows, withFiles } from './skill-rows.ts';

const [row = { name: '', content: '' }] = skillRows([
  {
    id: 's1',
    content: 'old',
    files: [
      { path: 'notes.txt', content: 'n', encoding: 'text' },
      { path: 'logo.png', content: 'AAAA', encoding: 'base64' },
    ],
  },
]);

test('a builder gets the texts of a skill, its main one first', () => {
  expect(listFiles(row)).toEqual([
    { path: 'SKILL.md', content: 'old' },
    { path: 'notes.txt', content: 'n' },
  ]);
});

test('what it wrote replaces the texts; the rest of the skill stays', () => {
  const content = '---\nname: "prices"\ndescription: x\n---\n# Prices';
  expect(withFiles(row, [{ path: 'SKILL.md', content }])).toEqual({
    id: 's1',
    name: 'prices',
    content,
    files: [{ path: 'logo.png', content: 'AAAA', encoding: 'base64' }],
  });
});

test('a name that was given stays, and a skill of one text has no files', () => {
  const named = { name: 'mine', content: '' };
  expect(withFiles(named, [{ path: 'SKILL.md', content: '---\nname: other\n---' }])).toEqual({
    name: 'mine',
    content: '---\nname: other\n---',
  });
});

test('what is no list of skills draws no rows', () => {
  expect(skillRows('$input.skills')).toEqual([]);
  expect(skillRows(['x', { name: 1 }])).toEqual([{ name: '', content: '' }]);
});
