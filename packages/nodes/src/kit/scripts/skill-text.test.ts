import { expect, test } from 'vitest';
import { skillFacts } from './skill-text.ts';

test.each([
  [
    'plain texts',
    '---\nname: prices\ndescription: Reads prices: all\n---\n# Text',
    'prices',
    'Reads prices: all',
  ],
  ['quoted texts', '---\r\nname: "prices"\r\ndescription: \'Reads\'\r\n---\r\n', 'prices', 'Reads'],
  [
    'texts of several lines',
    '---\ndescription: >-\n  Reads\n  prices\nname: prices\nlicense: MIT\n---',
    'prices',
    'Reads prices',
  ],
  ['one of them', '---\nname: prices\nmore:\n  description: inner\n---\n', 'prices', ''],
  ['no front matter', '# Prices\nname: prices', '', ''],
  ['front matter without an end', '---\nname: prices\n', '', ''],
])('SKILL.md with %s', (_, content, name, description) => {
  expect(skillFacts(content)).toEqual({ name, description });
});
