import { describe, expect, it } from 'vitest';
import chatDe from '../chat/messages/de.json' with { type: 'json' };
import chatEn from '../chat/messages/en.json' with { type: 'json' };
import de from '../messages/de.json' with { type: 'json' };
import en from '../messages/en.json' with { type: 'json' };

type Tree = { [key: string]: string | Tree };

function flatten(tree: Tree, prefix = ''): Map<string, string> {
  const flat = new Map<string, string>();
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === 'string') flat.set(`${prefix}${key}`, value);
    else for (const [inner, text] of flatten(value, `${prefix}${key}.`)) flat.set(inner, text);
  }
  return flat;
}

/** Names of the ICU arguments of a message: `{count, plural, ...}` and `{name}` give count and name. */
function argumentsOf(text: string): string[] {
  // `one {…}` and `=0 {…}` open a text, not an argument.
  const found = text.matchAll(/(?<!(?:=\d+|zero|one|two|few|many|other)\s)\{\s*([a-z_]+)\s*[,}]/gi);
  return [...new Set([...found].map((match) => match[1] ?? ''))].sort();
}

describe.each([
  ['the web app', en, de],
  ['the chat of portals', chatEn, chatDe],
] as const)('messages of %s', (_where, inEnglish, inGerman) => {
  const english = flatten(inEnglish);
  const german = flatten(inGerman);

  it('has the same keys in every language', () => {
    expect([...german.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it('has no empty text', () => {
    const empty = [...english, ...german].filter(([, text]) => text.trim() === '').map(([key]) => key);
    expect(empty).toEqual([]);
  });

  it('uses the same arguments in every language', () => {
    const different = [...english].filter(
      ([key, text]) => argumentsOf(text).join() !== argumentsOf(german.get(key) ?? '').join(),
    );
    expect(different.map(([key]) => key)).toEqual([]);
  });
});
