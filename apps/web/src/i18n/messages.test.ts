import compile from 'icu-minify/compile';
import { _createCache as createCache, _createIntlFormatters as createFormatters } from 'use-intl';
import formatSource from 'use-intl/format-message';
import formatCompiled from 'use-intl/format-message/format-only';
import { describe, expect, it } from 'vitest';
import { compileMessages } from '../../build/compiled-messages.ts';

type Tree = { [key: string]: string | Tree };

const FILES = import.meta.glob<Tree>('../**/{messages,texts}/{en,de}.json', {
  eager: true,
  import: 'default',
});

const folders = [...new Set(Object.keys(FILES).map((path) => path.slice(0, path.lastIndexOf('/'))))];

function flatten(tree: Tree, prefix = ''): Map<string, string> {
  const flat = new Map<string, string>();
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === 'string') flat.set(`${prefix}${key}`, value);
    else for (const [inner, text] of flatten(value, `${prefix}${key}.`)) flat.set(inner, text);
  }
  return flat;
}

/** Names of the ICU arguments of a message: `{count, plural, ...}` and `{name}` give count and name. */
function findArgumentNames(text: string): string[] {
  // `one {…}` and `=0 {…}` open a text, not an argument.
  const found = text.matchAll(/(?<!(?:=\d+|zero|one|two|few|many|other)\s)\{\s*([a-z_]+)\s*[,}]/gi);
  return [...new Set([...found].map((match) => match[1] ?? ''))].sort();
}

it('finds the texts of the frame, of the chat and of the pages', () => {
  expect(folders).toEqual(
    expect.arrayContaining(['../messages', '../chat/messages', '../pages/runs/texts', '../editor/texts']),
  );
});

describe.each(folders)('%s', (folder) => {
  const english = flatten(FILES[`${folder}/en.json`] ?? {});
  const german = flatten(FILES[`${folder}/de.json`] ?? {});

  it('has the same keys in every language', () => {
    expect([...german.keys()].sort()).toEqual([...english.keys()].sort());
  });

  it('has texts, and none that is empty', () => {
    const empty = [...english, ...german].filter(([, text]) => text.trim() === '').map(([key]) => key);
    expect(empty).toEqual([]);
    expect(english.size).toBeGreaterThan(0);
  });

  it('uses the same arguments in every language', () => {
    const different = [...english].filter(
      ([key, text]) => findArgumentNames(text).join() !== findArgumentNames(german.get(key) ?? '').join(),
    );
    expect(different.map(([key]) => key)).toEqual([]);
  });
});

describe('compiled messages', () => {
  const cache = createCache();
  const formatters = createFormatters(cache);

  it.each(folders.filter((folder) => !folder.includes('/chat/')))(
    'of %s read like their source',
    (folder) => {
      for (const locale of ['en', 'de'])
        for (const [key, text] of flatten(FILES[`${folder}/${locale}.json`] ?? {}))
          for (const count of [0, 1, 2, 12_345]) {
            const values = {
              ...Object.fromEntries(findArgumentNames(text).map((name) => [name, count])),
              ...Object.fromEntries([...text.matchAll(/<(\w+)>/g)].map(([, tag = '']) => [tag, () => tag])),
            };
            const options = { cache, formatters, locale, timeZone: 'UTC' };
            expect(formatCompiled(key, compile(text), values, options), key).toEqual(
              formatSource(`${folder} ${key}`, text, values, options),
            );
          }
    },
  );

  it('keep their keys and nesting', () => {
    expect(compileMessages({ a: 'plain', b: { c: 'Hello {name}' } })).toEqual({
      a: 'plain',
      b: { c: compile('Hello {name}') },
    });
  });
});
