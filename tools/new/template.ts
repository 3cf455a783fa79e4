import { readFileSync } from 'node:fs';
import type { Names } from './names.ts';

interface TemplateNames {
  readonly many: Names;
  readonly one: Names;
}

/**
 * A template with the names of a new thing: it is about book marks, in every spelling, of one and of many. Lines between
 * `// if read|update` and `// end` are left out unless one of these parts is wanted.
 */
export function fromTemplate(
  path: string,
  { many, one }: TemplateNames,
  parts: ReadonlySet<string> = new Set(),
): string {
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
  ].reduce((whole, [from = '', to = '']) => whole.replaceAll(from, to), keepParts(text, parts));
}

/** Throws when a condition is not closed. */
export function keepParts(text: string, parts: ReadonlySet<string>): string {
  const open: boolean[] = [];
  const kept = text.split('\n').filter((line) => {
    const [, condition] = /^\s*\/\/ if ([a-z|]+)$/.exec(line) ?? [];
    if (condition !== undefined) {
      open.push(condition.split('|').some((part) => parts.has(part)));
      return false;
    }
    if (/^\s*\/\/ end$/.test(line)) {
      if (open.pop() === undefined) throw new Error('a template ends a condition that has not begun');
      return false;
    }
    return open.every((isWanted) => isWanted);
  });
  if (open.length > 0) throw new Error('a template does not end a condition');
  return kept.join('\n');
}
