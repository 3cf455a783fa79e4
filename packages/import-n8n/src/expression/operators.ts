import { comparedDates } from './dates/members.ts';
import {
  type Code,
  chain,
  enclosed,
  isDate,
  joined,
  numeric,
  other,
  textual,
  Untranslatable,
} from './value.ts';

/** Operators of JavaScript and those of the expression language. */
const COMPARE: Readonly<Record<string, string>> = {
  '===': '==',
  '==': '==',
  '!==': '!=',
  '!=': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
  in: 'in',
};
const ARITHMETIC = new Set(['-', '*', '/', '**']);
export const LOGICAL: Readonly<Record<string, string>> = { '&&': 'and', '||': 'or', '??': '??' };

const number = (code: string): Code => ({ form: 'other', code, value: 'number' });

/** `operand` behind the sign. */
export function signedCode(operator: string, operand: Code): Code {
  if (operator === '+') return { form: 'chain', code: numeric(operand), value: 'number' };
  if (operator !== '-') throw new Untranslatable(`the operator ${operator} has no equal here`);
  return operand.form === 'constant' && /^\d/.test(operand.code)
    ? { form: 'constant', code: `-${operand.code}`, value: 'number' }
    : number(`-${numeric(operand)}`);
}

/** Of `list?.length` it is not known that it is a number. */
export const toOperand = (type: string, code: Code): Code =>
  type.startsWith('Optional') && code.value === 'number' ? { form: code.form, code: code.code } : code;

/** Operands become numbers where JavaScript makes them numbers. */
export function binaryCode(operator: string, one: Code, two: Code): Code {
  const [left, right] = [withoutLanguage(one), withoutLanguage(two)];
  if (operator === '+') {
    if (left.value === 'date' || right.value === 'date')
      return binaryCode(operator, asMillis(left), asMillis(right));
    if (left.value === 'text' || right.value === 'text') return joined([left, right]);
    const sum = other(`${enclosed(left)} + ${enclosed(right)}`);
    return left.value === 'number' && right.value === 'number' ? { ...sum, value: 'number' } : sum;
  }
  if (operator === '%')
    return { form: 'chain', code: `remainder(${left.code}, ${right.code})`, value: 'number' };
  if (ARITHMETIC.has(operator)) return number(`${numeric(left)} ${operator} ${numeric(right)}`);
  const sign = COMPARE[operator];
  if (sign === undefined) throw new Untranslatable(`the operator ${operator} has no equal here`);
  const sides = comparedCodes(operator, left, right);
  return other(/^[<>]/.test(sign) ? orderCode(sign, { sides, left, right }) : sides.join(` ${sign} `));
}

interface Sides {
  readonly sides: [string, string];
  readonly left: Code;
  readonly right: Code;
}

/** Numbers that may be missing although their code is known to be one: those that are read of something else. */
const READ_NUMBER = /^(?:toNumber|parseInt|parseFloat)\(/;
/** Below and above all others. */
const NUMBERS = ['-1e308', '1e308'] as const;
const TEXTS = ['""', '"\uFFFF"'] as const;

/**
 * Which of two is more. Beside nothing, or a text that is no number, JavaScript says no, where the whole expression would have
 * no value here: so what is missing is below the other side where it should be above, and the reverse.
 */
function orderCode(sign: string, { sides: [one, two], left, right }: Sides): string {
  // Beside a number, a text is read as one.
  const isRead = READ_NUMBER.test(one) || READ_NUMBER.test(two);
  const isText = !isRead && (left.value === 'text' || right.value === 'text');
  const isCertain = (side: string, { form, value }: Code): boolean =>
    form === 'constant' || (!READ_NUMBER.test(side) && (value === 'text' || value === 'number'));
  const [first, second] = [isCertain(one, left), isCertain(two, right)];
  const plain = `${one} ${sign} ${two}`;
  if (first && second) return plain;
  const isNumber =
    isRead ||
    (!isText && !isDate(left) && !isDate(right) && [left, right].some(({ value }) => value === 'number'));
  if (!isText && !isNumber) {
    const present = [...(first ? [] : [one]), ...(second ? [] : [two])].map((side) => `${side} != null`);
    return [...present, plain].join(' and ');
  }
  const [low, high] = isText ? TEXTS : NUMBERS;
  const [below, above] = sign.startsWith('>') ? [low, high] : [high, low];
  return `${first ? one : `(${one} ?? ${below})`} ${sign} ${second ? two : `(${two} ?? ${above})`}`;
}

const withoutLanguage = (code: Code): Code =>
  code.value === 'localDate' ? { ...code, value: 'date' } : code;

/** A date of Luxon is its milliseconds in a sum, even in one with a text. */
const asMillis = (code: Code): Code =>
  code.value === 'date' ? chain(`${enclosed(code)}.toMillis()`, 'number') : code;

/** A text with digits, as `==` compares it with a number. */
const DIGITS = /^"-?\d+(\.\d+)?"$/;

function comparedCodes(operator: string, left: Code, right: Code): [string, string] {
  const isStrict = operator === '===' || operator === '!==' || operator === 'in';
  const sides = [left, right];
  const isLoose = operator === '==' || operator === '!=';
  if (sides.every(isDate) || (isLoose && sides.some(({ value }) => value === 'jsDate'))) {
    if (isStrict || isLoose)
      throw new Untranslatable(`two dates are never the same with ${operator}; toMillis() can be compared`);
    return comparedDates(left, right);
  }
  if (isStrict) return [enclosed(left), enclosed(right)];
  if (sides.some((side) => side.value === 'number' || isDate(side))) return [numeric(left), numeric(right)];
  if (isLoose && sides.some(({ form, code }) => form === 'constant' && DIGITS.test(code)))
    return [textual(left), textual(right)];
  return [enclosed(left), enclosed(right)];
}

/** Types of JavaScript and the test for them; null is what is not there. */
const TYPES: Readonly<Record<string, (value: Code) => string>> = {
  string: ({ code }) => `type(${code}) == "string"`,
  number: ({ code }) => `type(${code}) == "number"`,
  boolean: ({ code }) => `type(${code}) == "boolean"`,
  object: ({ code }) => `type(${code}) in ["array", "object", "date"]`,
  undefined: (value) => `${enclosed(value)} == null`,
};

/** `typeof value === 'name'`. */
export function typeCode(operator: string, value: Code, name: string): Code {
  const test = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (test === undefined) throw new Untranslatable(`the type ${name} has no equal here`);
  return other(operator.startsWith('!') ? `not (${test(value)})` : test(value));
}
