import { type Code, chain, enclosed, Untranslatable } from '../value.ts';
import { fixedValue, moveMethod, readUnit, writtenNames } from './units.ts';

const FIXED_ONLY = 'only a fixed distance can be added to a date';

interface Move {
  readonly first: Code | undefined;
  readonly second: Code | undefined;
  readonly isBack: boolean;
}

/** `plus` and `minus` of Luxon with `{days: 1}`, and of n8n with `(1, "days")`. */
export function movedDate(object: Code, { first, second, isBack }: Move): Code {
  if (first === undefined) throw new Untranslatable(FIXED_ONLY);
  if (second !== undefined && second.form !== 'constant') throw new Untranslatable(FIXED_ONLY);
  const unit = second === undefined ? undefined : readUnit(fixedValue(second), true);
  const fixed = fixedAmounts(unit === undefined ? fixedValue(first) : { [unit]: fixedValue(first) });
  const [only, ...more] = fixed ?? [];
  const make = (call: string): Code => chain(`${enclosed(object)}.${call}`, object.value);
  if (only !== undefined && more.length === 0 && Number.isInteger(only.amount))
    return make(`${moveMethod(readUnit(only.name))}(${only.amount * (isBack ? -1 : 1)})`);
  for (const written of writtenNames(first)) readUnit(written);
  const name = isBack ? 'subtract' : 'add';
  if (unit !== undefined) return make(`${name}({"${unit}s": ${first.code}})`);
  // A number alone is one of milliseconds; an object names its units itself.
  return make(`${name}(${first.code}${first.code.startsWith('{') ? '' : ', "milliseconds"'})`);
}

/** Undefined unless every amount is a fixed number. */
function fixedAmounts(value: unknown): { name: string; amount: number }[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const amounts = Object.entries(value).map(([name, amount]) => {
    readUnit(name);
    return { name, amount: amount as unknown };
  });
  const isFixed = amounts.every(({ amount }) => typeof amount === 'number');
  return isFixed ? (amounts as { name: string; amount: number }[]) : undefined;
}
