import { readFileSync } from 'node:fs';
import type { Names } from './names.ts';

/** A template with the names of a new thing: it is about book marks, in every spelling, of one and of many. */
export function fromTemplate(path: string, many: Names, one: Names = many): string {
  const text = readFileSync(new URL(`templates/${path}.txt`, import.meta.url), 'utf8');
  return [
    ['book-marks', many.kebab],
    ['bookMarks', many.camel],
    ['BookMarks', many.pascal],
    ['book_marks', many.snake],
    ['Book marks', many.title],
    ['book marks', many.title.toLowerCase()],
    ['bookMark', one.camel],
    ['BookMark', one.pascal],
    ['book_mark', one.snake],
    ['Book mark', one.title],
    ['book mark', one.title.toLowerCase()],
  ].reduce((whole, [from = '', to = '']) => whole.replaceAll(from, to), text);
}
