import type { Maker } from './hostile-maker.ts';

/** Pieces of the grammar; most documents of them are no YAML. */
const PIECES = [
  '#:\n',
  '#: 1\n',
  '- ',
  '? ',
  '[',
  '{',
  '#,',
  '}',
  ']',
  '&a# x\n',
  '*a0 ',
  '"',
  "'",
  '!!set ',
  '!a ',
  '<<: *a0\n',
  '---\n',
  '\n',
  '  ',
  '\t',
  ': ',
  '|\n',
  '>\n',
  ' x\n',
  '%a\n',
  '[a#]: ',
  '{a: ',
  'a: &a0 {b: 1}\n',
  '- *a0\n',
  '# a\n',
  '!!omap [',
  '\\',
  '0x1_',
];

/** Nested levels. */
const levels = (maker: Maker, line: (depth: number) => string, most = 300): string =>
  Array.from({ length: 1 + maker.below(most) }, (_, depth) => line(depth)).join('');

const closed = (maker: Maker, open: string, inside: string, close: string): string => {
  const count = 1 + maker.below(maker.pick([300, 3_000]));
  return open.repeat(count) + inside + close.repeat(count);
};

/** Valid YAML in various slow shapes. */
const SHAPES: readonly ((maker: Maker) => string)[] = [
  (maker) => maker.runs('a#: 1\n'),
  (maker) => maker.runs('a#:\n  b: 1\n  c: [x, y]\n'),
  (maker) => maker.runs('- x\n'),
  (maker) => maker.runs('- a: 1\n  b: "x # y"\n'),
  (maker) => `[${maker.runs('x#, ')}]`,
  (maker) => `{${maker.runs('x#: {}, ')}}`,
  (maker) => `a: "${maker.runs('x ', '\\n', '\n ')}"`,
  (maker) => `a: '${maker.runs('x ', "''")}'`,
  (maker) => `a: |\n${maker.runs('  x\n', '\n')}`,
  (maker) => `a: >-\n${maker.runs('  x y\n', '   z\n')}`,
  (maker) => `a: ${maker.runs('x ')}`,
  (maker) => maker.runs('# x\n', '\n'),
  (maker) => maker.runs('a#: 0x1\n', 'b#: 1e3\n', 'c#: 2001-12-14\n'),
  (maker) => levels(maker, () => '- ', 3_000),
  (maker) => levels(maker, (depth) => `${' '.repeat(depth)}a:\n`),
  (maker) => closed(maker, '[', '', ']'),
  (maker) => closed(maker, '{a: ', '1', '}'),
  (maker) => closed(maker, '[a, ', '', ']'),
  (maker) => levels(maker, () => '? ', 14),
  (maker) => `a: &a {b: 1}\n${maker.runs('c#: *a\n')}`,
  (maker) => `a: &a [${maker.runs('x, ')}]\n${levels(maker, (depth) => `b${depth}: *a\n`, 90)}`,
  (maker) =>
    `a0: &a0 [x, x]\n${levels(maker, (depth) => `a${depth + 1}: &a${depth + 1} [*a${depth}, *a${depth}]\n`, 20)}`,
  (maker) => `a: &a {b: 1}\n${maker.runs('c#: {<<: *a}\n')}`,
  (maker) => maker.runs('&a# x#: 1\n'),
  (maker) => `!!set\n${maker.runs('? a#\n')}`,
  (maker) => `!!omap\n${maker.runs('- a#: 1\n')}`,
];

export const yamlText = (maker: Maker): string =>
  maker.below(4) === 0 ? maker.text(PIECES) : maker.pick(SHAPES)(maker);
