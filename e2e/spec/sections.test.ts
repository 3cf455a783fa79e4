import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The sections of the specification that state behaviour. */
const SECTIONS = (
  '1 2.1 2.2 2.3 2.4 2.5 2.6 2.7 3.1 3.2 3.3 3.4 3.5 4.1 4.2 4.3 4.4 4.5 4.6 4.7 4.8 ' +
  '5.1 5.2 5.3 5.4 5.5 5.6 5.7 5.8 6.1 6.2 6.3 7 8.1 8.2 8.3 8.4 9'
).split(' ');

const folder = new URL('.', import.meta.url);
const files = readdirSync(folder).filter((name) => /^\d.*\.test\.ts$/.test(name));
const getSection = (file: string) => file.slice(0, file.indexOf('-'));

it.each(SECTIONS)('§%s has a file of tests that names it', (section) => {
  const texts = files
    .filter((file) => getSection(file) === section)
    .map((file) => readFileSync(new URL(file, folder), 'utf8'));
  const named = new RegExp(`(it|test|describe|\\])\\(\\s*['"\`][^\\n]*§${section}(?!\\.?\\d)`);
  expect(texts.filter((text) => named.test(text))).not.toEqual([]);
});

it('a file is named after a section that there is', () => {
  expect(files.filter((file) => !SECTIONS.includes(getSection(file)))).toEqual([]);
});
