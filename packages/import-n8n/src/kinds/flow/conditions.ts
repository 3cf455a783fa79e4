import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { emptyCode } from '../../expression/extensions/texts.ts';
import { regexTest } from '../../expression/patterns/regex.ts';
import { type Code, chain, enclosed, other, Untranslatable } from '../../expression/value.ts';
import { Params } from '../../source/params.ts';
import { formatScalar } from '../../source/source.ts';
import type { Each } from '../../views/views.ts';
import type { Target, ViewContext } from '../kind.ts';

/** The parts of a target that a condition is read from. */
type Reader = Pick<Target, 'params' | 'say' | 'code'>;

export interface Test {
  readonly left: Json | undefined;
  readonly right: Json | undefined;
  readonly operation: string;
  readonly isText: boolean;
  readonly isNumber: boolean;
  /** Compared as instants, however they are written. */
  readonly isDate?: boolean;
  /** Upper and lower case count as the same. */
  readonly ignoresCase: boolean;
  /** Set where n8n converts both sides into the type of the test: how it reads a truth value of them. */
  readonly converts?: { readonly truth: 'any value' | 'words' };
  readonly isBoolean?: boolean;
}

/** The conditions of an `if` or `filter` node, in the form before and since version 2, as one condition. */
export function conditionFrom(to: Reader, path: string): string {
  const stored = to.params.get(path);
  // Beside the conditions before version 2: `any` of if, `OR` of filter.
  const older = to.params.text('combineOperation') || to.params.text('combineConditions');
  const combinator = to.params.text(`${path}.combinator`) || older;
  if (typeof stored === 'string' && stored !== '')
    throw new Untranslatable('its conditions are one expression, and would all count as met');
  const tests = testsIn(isJsonObject(stored) ? stored : {});
  return buildCondition(to, { tests, isAny: ['any', 'or', 'OR'].includes(combinator) });
}

/** The condition for one `item` of a list; undefined when it cannot be written for one. */
export function conditionForEach(to: Target, path: string, item?: Each): string | undefined {
  const { context } = to;
  const each = to.reading((stored) => {
    const code = context.each(stored, item);
    if (code === undefined) throw new Untranslatable('it cannot be tested for each item');
    return code;
  });
  try {
    return conditionFrom(each, path).slice('$'.length);
  } catch (error) {
    if (error instanceof Untranslatable) return undefined;
    throw error;
  }
}

/** Reads the parameters of a node for one `item` of its list, and reports nothing. */
export function readerForEach(parameters: JsonObject, context: ViewContext): Reader {
  return {
    params: new Params(parameters),
    say: () => undefined,
    code: (stored) => {
      const code = context.each(stored);
      if (code === undefined) throw new Untranslatable('it cannot be tested for each item');
      return other(code);
    },
  };
}

/** Rules of a `switch` node have the same form. */
export function buildCondition(
  to: Reader,
  { tests, isAny }: { tests: readonly Test[]; isAny: boolean },
): string {
  if (tests.length === 0) return '$bool(true)';
  const codes = tests.map((test) => codeOfTest(to, test).code);
  const code =
    codes.length === 1 ? codes[0] : codes.map((part) => `(${part})`).join(isAny ? ' or ' : ' and ');
  return `$bool(${code})`;
}

/** n8n leaves out of its exports what is usual in a form: what a test before version 2 means without it. */
const USUAL: Readonly<Record<string, { readonly operation: string; readonly value: Json }>> = {
  boolean: { operation: 'equal', value: false },
  dateTime: { operation: 'after', value: '' },
  number: { operation: 'smaller', value: 0 },
};
const USUAL_TEXT = { operation: 'equal', value: '' };

/** Tests of `{conditions: [{leftValue, rightValue, operator}]}` and of `{string: [{value1, operation, value2}]}`. */
export function testsIn(stored: JsonObject): Test[] {
  const list = stored['conditions'];
  const options = isJsonObject(stored['options']) ? stored['options'] : {};
  const ignoresCase = options['caseSensitive'] === false;
  if (Array.isArray(list)) {
    return list.filter(isJsonObject).map((test) => {
      const operator = isJsonObject(test['operator']) ? test['operator'] : {};
      return {
        left: test['leftValue'],
        right: test['rightValue'],
        operation: formatScalar(operator['operation']),
        isText: operator['type'] === 'string',
        isNumber: operator['type'] === 'number',
        isDate: operator['type'] === 'dateTime',
        isBoolean: operator['type'] === 'boolean',
        ignoresCase,
        ...(options['typeValidation'] === 'loose' ? { converts: convertsAs(options) } : {}),
      };
    });
  }
  return Object.entries(stored).flatMap(([type, tests]) => {
    if (!Array.isArray(tests)) return [];
    const { operation, value } = (Object.hasOwn(USUAL, type) ? USUAL[type] : undefined) ?? USUAL_TEXT;
    return tests.filter(isJsonObject).map((test) => ({
      left: test['value1'] ?? value,
      right: test['value2'] ?? value,
      operation: formatScalar(test['operation'], operation),
      isText: type === 'string',
      isNumber: type === 'number',
      isDate: type === 'dateTime',
      ignoresCase: false,
    }));
  });
}

/** From the second version of its conditions on, n8n reads "false" and "0" as false. */
const convertsAs = ({ version }: JsonObject): NonNullable<Test['converts']> => ({
  truth: typeof version === 'number' && version >= 2 ? 'words' : 'any value',
});

const COMPARE: Readonly<Record<string, string>> = {
  equal: '==',
  equals: '==',
  notEqual: '!=',
  notEquals: '!=',
  larger: '>',
  gt: '>',
  largerEqual: '>=',
  gte: '>=',
  smaller: '<',
  lt: '<',
  smallerEqual: '<=',
  lte: '<=',
};
const ORDERS: Readonly<Record<string, string>> = {
  after: '>',
  afterOrEquals: '>=',
  before: '<',
  beforeOrEquals: '<=',
};
const METHODS: Readonly<Record<string, { readonly method: string; readonly isNot: boolean }>> = {
  contains: { method: 'contains', isNot: false },
  notContains: { method: 'contains', isNot: true },
  startsWith: { method: 'startsWith', isNot: false },
  notStartsWith: { method: 'startsWith', isNot: true },
  endsWith: { method: 'endsWith', isNot: false },
  notEndsWith: { method: 'endsWith', isNot: true },
};
const comparesTexts = (operation: string): boolean =>
  Object.hasOwn(COMPARE, operation) || Object.hasOwn(METHODS, operation);

const LENGTHS: Readonly<Record<string, string>> = {
  lengthEquals: '==',
  lengthNotEquals: '!=',
  lengthGt: '>',
  lengthLt: '<',
  lengthGte: '>=',
  lengthLte: '<=',
};

const PATTERNS = new Set(['regex', 'notRegex']);

/** A call that gives a text in any case. */
const FILLED = /^(?:lower\()?concat\([^()]*\)\)?$/;

const lowerCased = ({ code }: Code): Code => other(`lower(concat(${code}))`);

/** The code of a text that is never null: n8n reads a missing one as an empty text. */
function fillText(code: Code, operation: string, against: Code): Code {
  if (operation === 'exists' || operation === 'notExists') return code;
  if (code.form === 'constant') return code.code === 'null' ? { form: 'constant', code: '""' } : code;
  const isFilled = against.form === 'constant' && against.code !== '""' && against.code !== 'null';
  // Neither nothing nor an empty text equals or contains such a text.
  const isEither = Object.hasOwn(METHODS, operation) && METHODS[operation]?.isNot === false;
  if (isFilled && (isEither || Object.hasOwn(COMPARE, operation))) return code;
  return FILLED.test(code.code) ? code : other(`${enclosed(code)} ?? ""`);
}

const NO_VALUE = new Set(['exists', 'notExists', 'empty', 'notEmpty']);

/** The code of a value as a text, which it may be already. */
function convertedText(code: Code): Code {
  if (code.code === 'null' || code.value === 'text' || FILLED.test(code.code)) return code;
  if (code.form === 'constant' && !code.code.startsWith('"'))
    return { form: 'constant', code: JSON.stringify(code.code), value: 'text' };
  return code.form === 'constant' ? code : chain(`concat(${code.code})`, 'text');
}

/** The code of a value as a truth value. */
function convertedTruth(code: Code, { truth }: NonNullable<Test['converts']>): Code {
  if (code.form === 'constant' && ['true', 'false', 'null'].includes(code.code)) return code;
  return truth === 'words'
    ? other(`bool(${code.code}) and lower(concat(${code.code})) not in ["false", "0"]`)
    : chain(`bool(${code.code})`);
}

/** The test with both sides as n8n converts them before it compares; undefined where it needs no conversion. */
function convertedTest(to: Reader, test: Test): Code | undefined {
  const { converts, operation } = test;
  if (converts === undefined || NO_VALUE.has(operation)) return undefined;
  const { converts: _, ...plain } = test;
  if (test.isText) return codeOfTest({ ...to, code: (stored) => convertedText(to.code(stored)) }, plain);
  if (!test.isBoolean) return undefined;
  const truth = convertedTruth(to.code(test.left), converts);
  if (operation === 'true') return truth;
  if (operation === 'false') return other(`not ${enclosed(truth)}`);
  const sign = Object.hasOwn(COMPARE, operation) ? COMPARE[operation] : undefined;
  if (sign === undefined) return undefined;
  const compared = convertedTruth(numberIfText(to, test.right), converts);
  return other(`${enclosed(truth)} ${sign} ${enclosed(compared)}`);
}

function codeOfTest(to: Reader, test: Test): Code {
  const { left, right, operation, isText } = test;
  if (test.isText && test.ignoresCase && (comparesTexts(operation) || PATTERNS.has(operation))) {
    // A pattern is left as it is.
    const lower: Reader = { ...to, code: (stored) => lowerCased(to.code(stored)) };
    return codeOfTest(lower, { ...test, ignoresCase: false });
  }
  const converted = convertedTest(to, test);
  if (converted !== undefined) return converted;
  const value = isText ? fillText(to.code(left), operation, to.code(right)) : to.code(left);
  const operand = enclosed(value);
  if (operation === 'true') return other(`${operand} == true`);
  if (operation === 'false') return other(`not ${operand}`);
  if (operation === 'exists') return other(`${operand} != null`);
  if (operation === 'notExists') return other(`${operand} == null`);
  if (operation === 'empty' || operation === 'isEmpty') return emptyCode(value);
  if (operation === 'notEmpty' || operation === 'isNotEmpty') return other(`not (${emptyCode(value).code})`);
  const compared = enclosed(
    isText ? fillText(to.code(right), operation, to.code(left)) : numberIfText(to, right),
  );
  const order = Object.hasOwn(ORDERS, operation) ? ORDERS[operation] : undefined;
  if (order !== undefined || (test.isDate && Object.hasOwn(COMPARE, operation))) {
    const [first, second] = [value, to.code(right)].map(({ code }) =>
      chain(`dateOf(${code}).toMillis()`, 'number'),
    ) as [Code, Code];
    const compared = comparedNumbers(first, order ?? (COMPARE[operation] as string), second);
    // No date equals another one, and none differs from one.
    return order === undefined
      ? other(`${first.code} != null and ${second.code} != null and ${compared.code}`)
      : compared;
  }
  const sign = Object.hasOwn(COMPARE, operation) ? COMPARE[operation] : undefined;
  if (sign !== undefined && test.isNumber) return comparedNumbers(value, sign, numberIfText(to, right));
  if (sign !== undefined) return other(`${operand} ${sign} ${compared}`);
  if (PATTERNS.has(operation)) {
    const tested = regexTest(value, parsePattern(right));
    return other(operation === 'regex' ? tested.code : `not (${tested.code})`);
  }
  const length = Object.hasOwn(LENGTHS, operation) ? LENGTHS[operation] : undefined;
  if (length !== undefined) return other(`len(${value.code}) ${length} ${compared}`);
  const method = Object.hasOwn(METHODS, operation) ? METHODS[operation] : undefined;
  if (method === undefined) throw new Untranslatable(`the comparison "${operation}" has no equal here`);
  return other(
    `${method.isNot ? 'not ' : ''}${operand}.${method.method}(${isText ? compared : to.code(right).code})`,
  );
}

/**
 * n8n makes a number of a text of one. Where there is none, one is not larger than the other; here the comparison would have
 * no value, and an item would be in neither of two lists.
 */
function comparedNumbers(left: Code, sign: string, right: Code): Code {
  const [first, second] = [left, right].map((code) =>
    code.form === 'constant' || code.value === 'number' ? enclosed(code) : `toNumber(${code.code})`,
  );
  const compared = `${first} ${sign} ${second}`;
  if (sign === '==' || sign === '!=') return other(compared);
  const read = [left, right].flatMap(({ form }, index) =>
    form === 'constant' ? [] : [`${index === 0 ? first : second} != null`],
  );
  return other([...read, compared].join(' and '));
}

/** `abc`, or `/abc/i` with flags. */
function parsePattern(stored: Json | undefined): { pattern: string; flags: string } {
  if (typeof stored !== 'string' || stored.startsWith('='))
    throw new Untranslatable('a pattern that is an expression has no equal here');
  const [, pattern = stored, flags = ''] = /^\/([^]+)\/([a-z]*)$/.exec(stored) ?? [];
  return { pattern, flags };
}

/** Forms of n8n store numbers and truth values as texts, too. */
function numberIfText(to: Reader, stored: Json | undefined): Code {
  const isNumber = typeof stored === 'string' && /^-?\d+(\.\d+)?$/.test(stored);
  if (isNumber || stored === 'true' || stored === 'false') return { form: 'constant', code: stored };
  return to.code(stored);
}
