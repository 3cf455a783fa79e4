import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** The sections of the specification that state behaviour. */
const SECTIONS = (
  '1 2.1 2.2 2.3 2.4 2.5 2.6 2.7 3.1 3.2 3.3 3.4 3.5 4.1 4.2 4.3 4.4 4.5 4.6 4.7 4.8 ' +
  '5.1 5.2 5.3 5.4 5.5 5.6 5.7 5.8 6.1 6.2 6.3 7 8.1 8.2 8.3 8.4 9'
).split(' ');

const root = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = ['packages', 'apps/server/src', 'apps/web/src', 'e2e'];

/** Titles of tests that name a section, wherever the sentence has its home. */
const titles = SOURCES.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(test|spec)\.tsx?$/.test(file))
    .flatMap(
      (file) =>
        readFileSync(join(root, folder, file), 'utf8').match(
          /(it|test|describe|\])\(\s*['"`][^\n]*§[^\n]*/g,
        ) ?? [],
    ),
);

it.each(SECTIONS)('§%s is named by a test', (section) => {
  const named = new RegExp(`§${section}(?!\\.?\\d)`);
  expect(titles.filter((title) => named.test(title))).not.toEqual([]);
});
