import { describe, expect, it } from 'vitest';

type Tree = { [key: string]: string | Tree };

const TEXTS = import.meta.glob<Tree>('../**/{messages,texts}/en.json', { eager: true, import: 'default' });
const SOURCES = import.meta.glob<string>(['../**/*.{ts,tsx}', '!../chat/**', '!../**/*.test.*'], {
  eager: true,
  query: '?raw',
  import: 'default',
});

/** The file at a path as an import names it. */
const resolve = (from: string, path: string): string =>
  new URL(path, `file:///x/i18n/${from}`).pathname.replace(/^\/x\//, '../');

function textAt(file: string, key: string): string | undefined {
  let at: string | Tree | undefined = TEXTS[file];
  for (const part of key.split('.')) at = typeof at === 'object' ? at[part] : undefined;
  return typeof at === 'string' ? at : undefined;
}

/** The object literal that a call continues with; undefined when it is given something else, or nothing. */
function findValues(rest: string): string | undefined {
  if (!/^\s*,\s*\{/.test(rest)) return undefined;
  const start = rest.indexOf('{');
  let depth = 0;
  for (let at = start; at < rest.length; at++) {
    if (rest[at] === '{') depth++;
    if (rest[at] === '}' && --depth === 0) return rest.slice(start + 1, at);
  }
  return undefined;
}

/** Tags of a text take elements, which the code gives as functions; its other placeholders take plain values. */
export function findMismatches(text: string, isRich: boolean, values: string | undefined): string[] {
  const tags = [...text.matchAll(/<(\w+)>/g)].map(([, name = '']) => name);
  const plain = [...text.matchAll(/(?<!(?:=\d+|zero|one|two|few|many|other)\s)\{\s*(\w+)\s*[,}]/g)]
    .map(([, name = '']) => name)
    .filter((name) => !tags.includes(name));
  if (tags.length > 0 && !isRich) return tags.map((tag) => `<${tag}> without rich`);
  const isFunction = (name: string) =>
    new RegExp(`\\b${name}:\\s*(\\([^)]*\\)|\\w+)\\s*=>`).test(values ?? '');
  const isNamed = (name: string) => new RegExp(`\\b${name}\\b`).test(values ?? '');
  if (values === undefined) return [];
  return [
    ...tags.filter((tag) => !isFunction(tag)).map((tag) => `<${tag}> is given no element`),
    ...plain.filter(isFunction).map((name) => `{${name}} is given an element`),
    ...plain.filter((name) => !isNamed(name)).map((name) => `{${name}} is given nothing`),
  ];
}

/** Every text that a source shows by a literal key, with what it is given. */
function shownIn(path: string, source: string) {
  const hooks = new Map(
    [...source.matchAll(/import \{ (use\w+Texts) \} from '([^']+)'/g)].map(([, hook = '', from = '']) => [
      hook,
      resolve(path, from).replace(/[^/]+$/, 'en.json'),
    ]),
  );
  hooks.set('useTranslations', '../messages/en.json');
  const declared = [
    ...source.matchAll(/const (\w+) = (use\w+)(?:<[^>]*>)?\(\s*(?:'([\w.]+)')?\s*\)/g),
  ].flatMap(({ index, 1: name = '', 2: hook = '', 3: namespace }) => {
    const file = hooks.get(hook);
    return file === undefined ? [] : [{ index, name, file, namespace }];
  });
  return [...source.matchAll(/\b(\w+)(\.rich)?\(\s*'([\w.]+)'/g)].flatMap((call) => {
    const [whole, name, rich, key = ''] = call;
    const texts = declared.findLast((each) => each.name === name && each.index < call.index);
    const text = texts && textAt(texts.file, texts.namespace ? `${texts.namespace}.${key}` : key);
    if (text === undefined) return [];
    const values = findValues(source.slice(call.index + whole.length));
    return [{ key, mismatches: findMismatches(text, rich !== undefined, values) }];
  });
}

describe('the values of a text', () => {
  it('are of the kind that it names, wherever it is shown', () => {
    const shown = Object.entries(SOURCES).flatMap(([path, source]) =>
      shownIn(path, source).map((each) => ({ path, ...each })),
    );
    expect(shown.length).toBeGreaterThan(1_000);
    expect(shown.filter(({ mismatches }) => mismatches.length > 0)).toEqual([]);
  });

  it.each([
    ['until {at}', true, 'at: () => <Time />', ['{at} is given an element']],
    ['until <at></at>', true, 'at: time', ['<at> is given no element']],
    ['until <at></at>', false, 'at: time', ['<at> without rich']],
    ['{count} of {total}', false, 'count', ['{total} is given nothing']],
    ['until <at></at>', true, 'at: () => <Time />', []],
    ['{count, plural, one {# item} other {# items}}', false, 'count: list.length', []],
  ])('differ from %s', (text, isRich, values, expected) => {
    expect(findMismatches(text, isRich, values)).toEqual(expected);
  });
});
