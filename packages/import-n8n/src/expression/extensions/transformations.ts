import { SPACES } from '../patterns/regex.ts';
import { type Code, chain, enclosed, numeric, other, textual, Untranslatable } from '../value.ts';
import { LIST_METHODS, mergeMethod } from './lists.ts';
import { TEXT_METHODS } from './texts.ts';

type Make = (receiver: string, args: readonly Code[], object: Code) => Code;

const number = (code: string): Code => ({ ...other(code), value: 'number' });
const text = (code: string): Code => chain(code, 'text');
const digits = ([count]: readonly Code[]): string => (count === undefined ? '0' : numeric(count));

/** A text that is written in the expression, since inside an item expression other code would mean other things. */
function fixed(code: Code | undefined): string {
  if (code?.form !== 'constant' || code.code === '""')
    throw new Untranslatable('a fixed text is needed here');
  return code.code;
}

/** The pairs of an object that pass a test, as an object again. */
const pickedPairs =
  (test: (given: string) => string): Make =>
  (receiver, [given]) =>
    chain(`dict(pairs(${receiver}).filter(${JSON.stringify(test(fixed(given)))}))`);

const holds = (given: string): string => `type(item[1]) == "string" and item[1].contains(${given})`;
const hasKey = (item: string, key: string): string => `type(${item}) == "object" and ${key} in ${item}`;

/** Objects put together; of a key in several the last value counts, in the place of the first. */
export const mergedCode = (objects: readonly string[]): Code =>
  chain(`dict(array(${objects.map((object) => `pairs(${object})`).join(', ')}).flat())`);

/** Methods of numbers and n8n's functions that transform data, by how many arguments they may have. */
const MAKERS: Readonly<Record<string, { readonly counts: readonly number[]; readonly make: Make }>> = {
  toFixed: { counts: [0, 1], make: (receiver, args) => text(`${receiver}.toFixed(${digits(args)})`) },
  round: {
    counts: [0, 1],
    make: (receiver, args) => chain(`toNumber(${receiver}.toFixed(${digits(args)}))`, 'number'),
  },
  ceil: { counts: [0], make: (_, __, object) => number(`0 - ((0 - ${numeric(object)}) // 1)`) },
  floor: { counts: [0], make: (_, __, object) => number(`${numeric(object)} // 1`) },
  abs: { counts: [0], make: (_, __, object) => number(`abs(${numeric(object)})`) },
  isEven: { counts: [0], make: (receiver) => chain(`${receiver}.isEven()`) },
  isOdd: { counts: [0], make: (receiver) => chain(`${receiver}.isOdd()`) },
  isInteger: { counts: [0], make: (receiver) => other(isWhole(receiver)) },
  isNumeric: {
    counts: [0],
    make: (receiver) => other(`toNumber(${receiver}) != null and parseFloat(${receiver}) != null`),
  },
  format: { counts: [0, 1, 2], make: formattedNumber },
  toLocaleString: { counts: [1, 2], make: formatted },
  padStart: { counts: [1, 2], make: (receiver, args) => text(`${receiver}.padStart(${padding(args)})`) },
  padEnd: { counts: [1, 2], make: (receiver, args) => text(`${receiver}.padEnd(${padding(args)})`) },
  repeat: { counts: [1], make: (receiver, args) => text(`${receiver}.repeat(${digits(args)})`) },
  hash: {
    counts: [0, 1],
    make: (receiver, [algorithm]) =>
      algorithm?.code.toLowerCase() === '"base64"'
        ? text(`${receiver}.base64Encode()`)
        : text(`${receiver}.hash(${algorithm === undefined ? '' : hashName(algorithm)})`),
  },
  removeTags: { counts: [0], make: (receiver) => text(`${receiver}.regexReplace("<[^>]*>?", "")`) },
  toSnakeCase: {
    counts: [0],
    make: (receiver) =>
      text(
        `${receiver}.toLowerCase().regexReplace("[ -]", "_").regexReplace(${JSON.stringify(SYMBOLS)}, "")`,
      ),
  },
  trimStart: { counts: [0], make: trimmed((spaces) => `^${spaces}`) },
  trimLeft: { counts: [0], make: trimmed((spaces) => `^${spaces}`) },
  trimEnd: { counts: [0], make: trimmed((spaces) => `${spaces}$`) },
  trimRight: { counts: [0], make: trimmed((spaces) => `${spaces}$`) },
  toBoolean: {
    counts: [0],
    make: (receiver) => other(`concat(${receiver}).toLowerCase() not in ["", "false", "no", "0"]`),
  },
  append: {
    counts: [1, 2, 3, 4],
    make: (receiver, args) =>
      chain(`array(${receiver}, [${args.map(({ code }) => code).join(', ')}]).flat()`),
  },
  chunk: { counts: [1], make: (receiver, [size]) => chain(`${receiver}.chunk(${size?.code})`) },
  average: {
    counts: [0],
    make: (receiver) =>
      number(`len(${receiver}) == 0 ? 0 : sum(${receiver}.map("parseFloat(item)")) / len(${receiver})`),
  },
  pluck: {
    counts: [1],
    make: (receiver, [field]) => {
      const key = fixed(field);
      return chain(
        `${receiver}.filter(${JSON.stringify(hasKey('item', key))}).map(${JSON.stringify(`item[${key}]`)})`,
      );
    },
  },
  removeDuplicates: { counts: [1, 2, 3, 4], make: (receiver, keys) => distinctBy(receiver, keys) },
  unique: { counts: [1, 2, 3, 4], make: (receiver, keys) => distinctBy(receiver, keys) },
  smartJoin: {
    counts: [2],
    make: (receiver, [name, value]) => {
      const [key, held] = [fixed(name), fixed(value)];
      const test = `${hasKey('row', key)} and ${held} in row`;
      return other(`{concat(row[${key}]): row[${held}] for row in ${receiver} if ${test}}`);
    },
  },
  // Keys of the first object keep their values.
  merge: {
    counts: [0, 1],
    make: mergeMethod((receiver, [added]) =>
      mergedCode([receiver, `${enclosed(added as Code)} ?? {}`, receiver]),
    ),
  },
  removeField: { counts: [1], make: pickedPairs((name) => `item[0] != ${name}`) },
  keepFieldsContaining: { counts: [1], make: pickedPairs(holds) },
  removeFieldsContaining: { counts: [1], make: pickedPairs((given) => `not (${holds(given)})`) },
  keys: { counts: [0], make: (receiver) => chain(`pairs(${receiver}).map("item[0]")`) },
  values: { counts: [0], make: (receiver) => chain(`pairs(${receiver}).map("item[1]")`) },
};

function trimmed(place: (spaces: string) => string): Make {
  const pattern = JSON.stringify(place(`[${SPACES}]+`));
  return (receiver) => text(`${receiver}.regexReplace(${pattern}, "")`);
}

/** Punctuation that n8n leaves out of names in snake case. */
const SYMBOLS = String.raw`[\x{2000}-\x{206F}\x{2E00}-\x{2E7F}\\'!"#$%&()*+,./:;<=>?@\[\]^` + '`{|}~]';

/** The code of a call; undefined for other methods. */
export function transformedCode(object: Code, name: string, args: readonly Code[]): Code | undefined {
  const known = [MAKERS, TEXT_METHODS, LIST_METHODS]
    .map((table) => (Object.hasOwn(table, name) ? table[name] : undefined))
    .find((method) => method?.counts.includes(args.length));
  if (known === undefined) return undefined;
  const isNumber = object.form === 'constant' && object.value === 'number';
  return known.make(isNumber ? `(${object.code})` : enclosed(object), args, object);
}

/** Whether a value is a number without decimals. */
export const isWhole = (code: string): string => `type(${code}) == "number" and ${code} % 1 == 0`;

const padding = ([length, fill]: readonly Code[]): string =>
  [numeric(length as Code), ...(fill === undefined ? [] : [textual(fill)])].join(', ');

function formatted(receiver: string, args: readonly Code[]): Code {
  if (args[0]?.code === 'null') throw new Untranslatable('the language of the service has no equal here');
  return text(`formatNumber(${[receiver, ...args.map(({ code }) => code)].join(', ')})`);
}

/** `format` of n8n, which only numbers have that way; dates have it with a pattern. */
function formattedNumber(receiver: string, args: readonly Code[]): Code {
  const [language] = args;
  if (language !== undefined && !/^[a-z]{2,3}(-[A-Za-z0-9]+)*$/.test(fixed(language).slice(1, -1)))
    throw new Untranslatable('format() needs a date or a language such as "en-US" here');
  return {
    ...other(`type(${receiver}) == "number" ? ${formatted(receiver, args).code} : null`),
    value: 'text',
  };
}

const HASHES = new Set('md5 sha1 sha224 sha256 sha384 sha512'.split(' '));

function hashName(algorithm: Code): string {
  const name = fixed(algorithm);
  if (!HASHES.has(String(JSON.parse(name)).toLowerCase()))
    throw new Untranslatable(`the hash ${name} has no equal here`);
  return name;
}

/** By fields of the elements; those that are no objects count as a whole. */
function distinctBy(receiver: string, keys: readonly Code[]): Code {
  const fields = keys.map((key) => `item[${fixed(key)}]`).join(', ');
  return chain(`${receiver}.distinctBy(${JSON.stringify(`type(item) == "object" ? [${fields}] : item`)})`);
}
