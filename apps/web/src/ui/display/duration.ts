import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@millrace/engine/units';
import { formatters } from '../../i18n/formatters.ts';

/** A length of time with two units at most: `12 ms`, `3.4 s`, `2 min 5 s`, `1 h 12 min`. */
export function durationText(ms: number, locale: string): string {
  const number = (value: number, digits = 0) =>
    formatters
      .getNumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits })
      .format(value);
  const whole = Math.max(0, Math.round(ms));
  if (whole < SECOND_MS) return `${number(whole)} ms`;
  if (whole < 10 * SECOND_MS) return `${number(whole / SECOND_MS, 1)} s`;
  const seconds = Math.round(whole / SECOND_MS);
  if (seconds < 60) return `${number(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(whole / MINUTE_MS);
  return `${number(Math.floor((minutes * MINUTE_MS) / HOUR_MS))} h ${minutes % 60} min`;
}
