import { expect, test } from 'vitest';
import { libraryRow, readLibraryVersion, toSkillBody, withLibraryVersion } from './library-rows.ts';

const ID = '4b0b8f0e-6a3e-4c6e-9a5d-1f2e3d4c5b6a';
const row = libraryRow({ id: ID, name: 'prices' });

test('a row of the library uses the newest version until one is fixed', () => {
  expect(readLibraryVersion(row)).toBeNull();
  const fixed = withLibraryVersion(row, '3');
  expect(fixed).toEqual({ name: 'prices', content: '', librarySkillId: ID, libraryVersion: 3 });
  expect(withLibraryVersion(fixed, '')).toEqual(row);
});

test('a skill of an agent goes to the library with its files', () => {
  const files = [
    { path: 'main.py', content: 'print(1)', encoding: 'text', mimeType: 'text/x-python' },
    { path: 'logo.png', content: 'AP8=', encoding: 'base64' },
  ];
  expect(toSkillBody({ name: 'prices', content: '# Prices', files, timeoutSeconds: 60 })).toEqual({
    name: 'prices',
    content: '# Prices',
    files: [
      { path: 'main.py', content: 'print(1)', encoding: 'text' },
      { path: 'logo.png', content: 'AP8=', encoding: 'base64' },
    ],
    timeout_seconds: 60,
  });
});

test.each([
  [7, 7],
  ['7', 7],
  ['$input.seconds', 30],
  [undefined, 30],
])('the time limit %j of a skill of an agent becomes %d seconds', (timeoutSeconds, seconds) => {
  const own = {
    name: 'prices',
    content: '# Prices',
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
  };
  expect(toSkillBody(own).timeout_seconds).toBe(seconds);
});
