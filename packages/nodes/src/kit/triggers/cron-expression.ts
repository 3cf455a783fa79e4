const PART = '[\\d*,/\\-a-z#?]+';
/** One expression a line, each of five fields, or six with the seconds first. */
export const EXPRESSIONS = new RegExp(
  `^\\s*(${PART}[ \\t]+){4,5}${PART}\\s*(\\n\\s*(${PART}[ \\t]+){4,5}${PART}\\s*)*$`,
  'i',
);

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  readonly longest_step: number;
  /** Words for the numbers from `least` on. */
  readonly words?: readonly string[];
  /** Items beside values, ranges and steps. */
  readonly special?: RegExp;
  /** Chooses among the days of a month, behind a value or a range. */
  readonly suffix?: RegExp;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Of six fields; an expression of five has no seconds. */
const FIELDS: readonly Field[] = [
  { name: 'second', least: 0, most: 59, longest_step: 60 },
  { name: 'minute', least: 0, most: 59, longest_step: 60 },
  { name: 'hour', least: 0, most: 23, longest_step: 24 },
  { name: 'day of month', least: 1, most: 31, longest_step: 31, special: /^(L|LW|\d+W)$/i },
  { name: 'month', least: 1, most: 12, longest_step: 12, words: MONTHS },
  {
    name: 'day of week',
    least: 0,
    most: 7,
    longest_step: 7,
    words: WEEKDAYS,
    suffix: /(?<=[\da-z])(#[1-5]|#?L)$/i,
  },
];

const splitLine = (line: string): string[] => line.trim().split(/[ \t]+/);

/** The fields of an expression with its parts. */
const readParts = (line: string): { field: Field; part: string }[] => {
  const parts = splitLine(line);
  return FIELDS.slice(-parts.length).map((field, index) => ({ field, part: parts[index] ?? '' }));
};

/** The first number that its field cannot have. Steps and the count behind `#` are no values of a field. */
function wrongNumber(line: string): string | undefined {
  for (const { field, part } of readParts(line)) {
    const { name, least, most } = field;
    const values = part.replace(/[/#]\d+/g, '').match(/\d+/g) ?? [];
    const wrong = values.find((value) => Number(value) < least || Number(value) > most);
    if (wrong !== undefined) return `has ${wrong} as ${name}; enter ${least} to ${most}`;
  }
  return undefined;
}

/** Everything, a value or a range, with or without a step. */
const ITEM = /^(?:[*?]?|(?<from>\d+)(?:-(?<to>\d+))?)(?:\/(?<step>\d+))?$/;

/** Sunday is 0, and 7 at the end of a range. */
function toNumbers(item: string, { words, least }: Field): string {
  const spelled = words === WEEKDAYS ? item.replace(/-sun/i, '-7') : item;
  return (words ?? []).reduce(
    (text, word, index) =>
      text.replaceAll(new RegExp(`(?<![a-z])${word}(?![a-z])`, 'gi'), `${index + least}`),
    spelled,
  );
}

function isItem(item: string, field: Field): boolean {
  if (item === '') return false;
  if (field.special?.test(item)) return true;
  const text = toNumbers(field.suffix ? item.replace(field.suffix, '') : item, field);
  const { from, to, step } = ITEM.exec(text)?.groups ?? { step: '0' };
  if (to !== undefined && Number(from) > Number(to)) return false;
  return step === undefined || (Number(step) >= 1 && Number(step) <= field.longest_step);
}

/** The first item that is none: it would never be due, as in `5-1`. */
function wrongItem(line: string): string | undefined {
  for (const { field, part } of readParts(line)) {
    const wrong = part.split(',').find((item) => !isItem(item, field));
    if (wrong === undefined) continue;
    const shown = wrong === '' ? part : wrong;
    return `has "${shown}" as ${field.name}; enter values, ranges such as 1-5 or steps such as */2`;
  }
  return undefined;
}

const LONGEST_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const NUMBERS = /^\d+(,\d+)*$/;

/** A day that none of its months has, such as 30 February. A day of the week would be another way to be due. */
function missingDay(line: string): string | undefined {
  const [days = '', months = '', weekday = ''] = splitLine(line).slice(-3);
  if (!NUMBERS.test(days) || !NUMBERS.test(months) || !/^[*?]$/.test(weekday)) return undefined;
  const longest = Math.max(...months.split(',').map((month) => LONGEST_MONTHS[Number(month) - 1] ?? 31));
  const isMissing = days.split(',').every((day) => Number(day) > longest);
  return isMissing ? `has a day that its months do not have: day ${days} of month ${months}` : undefined;
}

/** In the words of an error behind the name of the field; undefined for an expression that can be due. */
export const findMistake = (line: string): string | undefined =>
  line.trim() === '' ? undefined : (wrongNumber(line) ?? wrongItem(line) ?? missingDay(line));
