import * as fc from 'fast-check';
import { functionDocs, methodDocs } from '../editor/docs.ts';

/** Names that are there, names that are not, and names that must never lead anywhere. */
const NAMES = [
  's',
  'n',
  'list',
  'a',
  'people',
  'nothing',
  't',
  'input',
  'credentials',
  'missing',
  'now',
  'UUID',
  'item',
  'x',
];
const KEYS = [
  'text',
  'n',
  'deep',
  'id',
  'name',
  'length',
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  '0',
  'key',
];
const OPERATORS = [
  '+',
  '-',
  '*',
  '/',
  '//',
  '%',
  '**',
  '==',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  'in',
  'not in',
  'and',
  'or',
  '&&',
  '||',
  '??',
];

const literal = fc.oneof(
  fc.integer({ min: -1_000, max: 1_000 }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => String(Math.abs(number))),
  fc.string({ maxLength: 8 }).map((text) => JSON.stringify(text)),
  fc.constantFrom(
    'true',
    'false',
    'null',
    'None',
    '""',
    '[]',
    '{}',
    "'item.x'",
    '"$n"',
    '"a $s b"',
    '1e308',
    '-1',
  ),
);

/** Expressions that parse, over the names above. */
export const expression: fc.Arbitrary<string> = fc.letrec<{
  node: string;
  chain: string;
  item: string;
  condition: string;
}>((tie) => ({
  item: fc.oneof({ maxDepth: 2 }, fc.constant("'- item (item.x)'"), tie('condition')),
  // Text that is no expression has a meaning for `map`, and is a mistake for `filter`.
  condition: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom("'item'", "'item.id'", "'item > 1'", '"item.name.upper()"', "'item.constructor'"),
    tie('node').map((text) => JSON.stringify(text)),
  ),
  chain: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...NAMES),
    fc.constantFrom(...NAMES).map((name) => `$${name}`),
    fc.tuple(tie('chain'), fc.constantFrom(...KEYS)).map(([object, key]) => `${object}.${key}`),
    fc.tuple(tie('chain'), tie('node')).map(([object, index]) => `${object}[${index}]`),
    fc.tuple(tie('chain'), tie('node'), tie('node')).map(([object, from, to]) => `${object}[${from}:${to}]`),
    fc
      .tuple(
        tie('chain'),
        fc.constantFrom(...methodDocs.map((entry) => entry.name)),
        fc.array(tie('node'), { maxLength: 2 }),
      )
      .map(([object, name, values]) => {
        const isText = values.some((value) => /^["']/.test(value));
        return `${object}.${name === 'filter' && isText ? 'map' : name}(${values.join(', ')})`;
      }),
    fc
      .tuple(tie('chain'), fc.constantFrom('map', 'sort', 'distinctBy'), tie('item'))
      .map(([object, name, text]) => `${object}.${name}(${text})`),
    fc.tuple(tie('chain'), tie('condition')).map(([object, text]) => `${object}.filter(${text})`),
    fc
      .tuple(
        fc.constantFrom(...functionDocs.map((entry) => entry.name)),
        fc.array(tie('node'), { maxLength: 3 }),
      )
      .map(([name, values]) => `${name}(${values.join(', ')})`),
  ),
  node: fc.oneof(
    { maxDepth: 4 },
    literal,
    tie('chain'),
    fc
      .tuple(tie('node'), fc.constantFrom(...OPERATORS), tie('node'))
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    fc
      .tuple(tie('node'), tie('node'), tie('node'))
      .map((parts) => `(${parts[0]} ? ${parts[1]} : ${parts[2]})`),
    fc
      .tuple(tie('node'), tie('node'), tie('node'))
      .map((parts) => `(${parts[0]} if ${parts[1]} else ${parts[2]})`),
    fc.array(tie('node'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
    fc
      .array(fc.tuple(literal, tie('node')), { maxLength: 3 })
      .map((entries) => `{${entries.map(([key, value]) => `${key}: ${value}`).join(', ')}}`),
    fc.tuple(tie('node'), tie('chain')).map(([element, source]) => `[${element} for x in ${source}]`),
    fc
      .tuple(tie('node'), tie('chain'))
      .map(([value, source]) => `{str(x): ${value} for x in ${source} if x}`),
    tie('node').map((operand) => `(not ${operand})`),
    tie('node').map((operand) => `(-${operand})`),
  ),
})).node;

/** Anything that someone may type: fragments of expressions among words, brackets and quotes. */
export const anyText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          '$',
          '$a',
          '$a.text',
          '.',
          '(',
          ')',
          '[',
          ']',
          '{',
          '}',
          '"',
          "'",
          '\\',
          ' ',
          '\n',
          ',',
        ),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'and',
          'not',
          'in',
          'for x in',
          '?',
          ':',
          '==',
          '+',
          '-',
          '&&',
          'item',
          '1',
          '.5',
          '😀',
          '\ud800',
        ),
      },
      { weight: 1, arbitrary: fc.string({ maxLength: 6 }) },
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(''));

/** As it is stored: JSON text has no negative zero. */
export const plainData = fc
  .jsonValue({ maxDepth: 4 })
  .map((data): unknown => JSON.parse(JSON.stringify(data)));
