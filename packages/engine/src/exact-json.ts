/**
 * Every number that a double cannot hold has at least this many digits, 2^53 has 16, or an exponent of three: 10^308 is the last.
 * Such an exponent counts only where a number can stand: many ids of a text have one.
 */
const MAY_BE_TOO_LARGE = /\d{16}|(?:^|[\s,:[])-?\d+(?:\.\d+)?[eE]\+?\d{3}/;
const WHOLE = /^-?[1-9]\d*$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** From 10^21 on a number is printed with an exponent. */
const MOST_CHARACTERS = 22;

/**
 * Parses JSON without changing whole numbers: one whose digits a double cannot hold becomes a text with these digits, so
 * that the id 9007199254740993 does not turn into its neighbour. So does a number beyond the largest double, such as 1e400,
 * which would be infinite and go on as null. Other fractions and exponents are read as by `JSON.parse`.
 *
 * @throws SyntaxError as `JSON.parse` does
 */
export function parseExactJson(text: string, reviver?: (key: string, value: unknown) => unknown): unknown {
  return JSON.parse(MAY_BE_TOO_LARGE.test(text) ? withQuotedNumbers(text) : text, reviver);
}

/** Whether the digits of a whole number come out differently when they are read as a number. */
export function losesDigits(text: string): boolean {
  if (text.length < 16 || !WHOLE.test(text)) return false;
  return text.length > MOST_CHARACTERS || String(Number(text)) !== text;
}

const isTooLarge = (text: string): boolean => !Number.isFinite(Number(text)) && NUMBER.test(text);

function withQuotedNumbers(text: string): string {
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, at);
      // A number in the place of a key is an error that quotes would hide.
      const number = text.slice(at, end);
      if ((losesDigits(number) || isTooLarge(number)) && !isKey(text, end)) {
        parts.push(text.slice(copied, at), '"', number, '"');
        copied = end;
      }
      at = end - 1;
    }
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(copied);
}

const QUOTE = 34;
const PLUS = 43;
const MINUS = 45;
const POINT = 46;
const LARGE_E = 69;
const BACKSLASH = 92;
const SMALL_E = 101;

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

const isOfNumber = (code: number): boolean =>
  isDigit(code) || code === MINUS || code === PLUS || code === POINT || code === LARGE_E || code === SMALL_E;

/** Position of the closing quotation mark, or behind the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at;
  }
  return text.length;
}

/** Behind everything that a number may be made of, fractions and exponents included. */
function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && isOfNumber(text.charCodeAt(at))) at++;
  return at;
}

function isKey(text: string, end: number): boolean {
  let at = end;
  while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at++;
  return text.charAt(at) === ':';
}
