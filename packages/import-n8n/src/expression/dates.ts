import { type Code, chain, Untranslatable } from './value.ts';

/** Tokens of Luxon (https://moment.github.io/luxon/#/formatting?id=table-of-tokens) and those of `format` here. */
const TOKENS: Readonly<Record<string, string>> = {
  yyyy: 'YYYY',
  yy: 'YY',
  MMMM: 'MMMM',
  LLLL: 'MMMM',
  MMM: 'MMM',
  LLL: 'MMM',
  MM: 'MM',
  LL: 'MM',
  M: 'M',
  L: 'M',
  dd: 'DD',
  d: 'D',
  EEEE: 'dddd',
  cccc: 'dddd',
  EEE: 'ddd',
  ccc: 'ddd',
  HH: 'HH',
  H: 'H',
  hh: 'hh',
  h: 'h',
  mm: 'mm',
  m: 'm',
  ss: 'ss',
  s: 's',
  a: 'A',
};

/** A pattern of Luxon as a pattern of `format`. */
export function dateFormat(pattern: string): string {
  return pattern.replaceAll(/[A-Za-z]+|'[^']*'/g, (run) => {
    let rest = run;
    let translated = '';
    while (rest !== '') {
      const letter = rest.charAt(0);
      const same = new RegExp(`^${letter}+`).exec(rest)?.[0] ?? letter;
      const token = /[A-Za-z]/.test(letter) && Object.hasOwn(TOKENS, same) ? TOKENS[same] : undefined;
      if (token === undefined) throw new Untranslatable(`the date format ${run} has no equal here`);
      translated += token;
      rest = rest.slice(same.length);
    }
    return translated;
  });
}

const UNITS: Readonly<Record<string, { readonly method: string; readonly times: number }>> = {
  minute: { method: 'addMinutes', times: 1 },
  hour: { method: 'addHours', times: 1 },
  day: { method: 'addDays', times: 1 },
  week: { method: 'addDays', times: 7 },
  month: { method: 'addMonths', times: 1 },
  year: { method: 'addYears', times: 1 },
};

const FIXED_ONLY = 'only a fixed distance can be added to a date';

/** `plus` and `minus` of Luxon with `{days: 1}`, and of n8n with `(1, "days")`. */
export function movedDate(
  object: Code,
  { first, second, isBack }: { first: Code | undefined; second: Code | undefined; isBack: boolean },
): Code {
  if (second !== undefined && second.form !== 'constant') throw new Untranslatable(FIXED_ONLY);
  if (second !== undefined && first !== undefined && first.form !== 'constant')
    return movedBy(object, { amount: first.code, unit: JSON.parse(second.code) as unknown, isBack });
  const parts =
    second === undefined ? parseDuration(first) : [[JSON.parse(second.code) as unknown, first?.code]];
  const calls = parts.map(([unit, amount]) => {
    const name = String(unit).replace(/s$/, '');
    const known = Object.hasOwn(UNITS, name) ? UNITS[name] : undefined;
    const count = Number(amount);
    if (known === undefined || !Number.isInteger(count)) {
      throw new Untranslatable(
        'only whole numbers of minutes, hours, days, weeks, months and years can be added',
      );
    }
    return `.${known.method}(${count * known.times * (isBack ? -1 : 1)})`;
  });
  return chain(`${object.code}${calls.join('')}`, 'date');
}

/** By an amount that is known when the expression is read. */
function movedBy(
  object: Code,
  { amount, unit, isBack }: { amount: string; unit: unknown; isBack: boolean },
): Code {
  const name = String(unit).replace(/s$/, '');
  const known = Object.hasOwn(UNITS, name) ? UNITS[name] : undefined;
  if (known === undefined) throw new Untranslatable(`the unit "${name}" has no equal here`);
  return chain(
    `${object.code}.${known.method}(toNumber(${amount}) * ${known.times * (isBack ? -1 : 1)})`,
    'date',
  );
}

function parseDuration(duration: Code | undefined): [unknown, unknown][] {
  try {
    const value: unknown = JSON.parse(duration?.code ?? '');
    if (typeof value === 'object' && value !== null) return Object.entries(value);
  } catch {
    // Not fixed: the reason follows.
  }
  throw new Untranslatable(FIXED_ONLY);
}
