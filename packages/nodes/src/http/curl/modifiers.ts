import type { Part, Word } from '../../kit/curl-words.ts';

interface Modifiers {
  readonly content: Word;
  /** In the order in which they are written. */
  readonly modifiers: readonly { readonly key: string; readonly word: Word }[];
}

/** What curl lets follow the content of a field: `;type=text/csv; charset=utf-8;filename=a.csv`. */
const START = /;(type|filename)=/;

/** Only written text can begin a modifier; a value that has `;type=` is content, or a part of the modifier that it is in. */
export function splitModifiers(word: Word): Modifiers {
  const content: Part[] = [];
  const modifiers: { key: string; word: Part[] }[] = [];
  for (const part of word) {
    const [text = '', ...rest] = part.kind === 'literal' ? part.text.split(START) : [part.text];
    (modifiers.at(-1)?.word ?? content).push({ ...part, text });
    for (let at = 0; at < rest.length; at += 2) {
      modifiers.push({ key: rest[at] ?? '', word: [{ kind: 'literal', text: rest[at + 1] ?? '' }] });
    }
  }
  return {
    content,
    modifiers: modifiers.map(({ key, word: written }) => ({ key, word: unquoted(written) })),
  };
}

/** A file name may be in quotes. */
function unquoted(word: readonly Part[]): Word {
  const text = word.map((part) => part.text).join('');
  const isQuoted =
    [word.at(0), word.at(-1)].every((part) => part?.kind === 'literal') && /^".*"$/s.test(text);
  if (!isQuoted) return word;
  return word.map((part, index) => {
    const start = index === 0 ? 1 : 0;
    const end = index === word.length - 1 ? -1 : undefined;
    return { ...part, text: part.text.slice(start, end) };
  });
}
