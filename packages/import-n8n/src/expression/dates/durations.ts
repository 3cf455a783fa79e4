import { type Code, chain, enclosed, other, Untranslatable } from '../value.ts';
import { fixedText, fixedValue, lengthIn, readUnit, type Unit } from './units.ts';

const NO_DATE = 'the difference to what may be no date has no equal here';

/** `a.diff(b, unit)` and `a.diffNow(unit)` of Luxon, whose result is asked for its unit. */
export function durationCode(object: Code, other: Code | undefined, units: Code | undefined): Code {
  if (other?.value !== 'date') throw new Untranslatable(NO_DATE);
  const wanted: unknown = units === undefined ? 'milliseconds' : fixedValue(units);
  const [name, ...more] = Array.isArray(wanted) ? (wanted as unknown[]) : [wanted];
  if (more.length > 0) throw new Untranslatable('a difference in several units has no equal here');
  const unit = readUnit(name);
  return { ...chain(differenceCode(object, other, unit), 'duration'), unit };
}

/** `a.diffTo(b, unit)` and `a.diffToNow(unit)` of n8n, which are numbers. */
export function differenceNumber(object: Code, other: Code | undefined, unit: Code | undefined): Code {
  if (other === undefined) throw new Untranslatable(NO_DATE);
  const name = unit === undefined ? 'days' : fixedValue(unit);
  const known = readUnit(Array.isArray(name) && name.length === 1 ? (name as unknown[])[0] : name);
  const isDate = other.value === 'date' || other.value === 'jsDate';
  const date = isDate ? other : chain(`dateOf(${other.code})`, 'date');
  return chain(differenceCode(object, date, known), 'number');
}

const differenceCode = (object: Code, { code }: Code, unit: Unit): string =>
  `${enclosed(object)}.diff(${code}, "${unit}s")`;

/** `.days` of a difference in days. */
export function durationProperty(duration: Code, name: string): Code {
  if (name !== `${duration.unit}s`)
    throw new Untranslatable(`${name} of a difference in ${duration.unit}s has no equal here`);
  return chain(duration.code, 'number');
}

/** `.as("hours")`, `.toObject()` and `.toMillis()` of a difference. */
export function durationMethod(duration: Code, name: string, args: readonly Code[]): Code {
  const { unit, code } = duration;
  if (name === 'toObject' && args.length === 0) return duration;
  const isMillis = ['toMillis', 'valueOf'].includes(name) && args.length === 0;
  if (isMillis && unit === 'millisecond') return chain(code, 'number');
  if (name !== 'as' || args.length !== 1)
    throw new Untranslatable(`the method ${name}() of differences has no equal here`);
  const wanted = readUnit(fixedText(args[0]));
  if (wanted === unit) return chain(code, 'number');
  if (unit !== 'millisecond')
    throw new Untranslatable(`a difference in ${unit}s as ${wanted}s has no equal here`);
  return { ...other(`${code} / ${lengthIn(wanted)}`), value: 'number' };
}
