const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** A size in decimal units with three significant digits: `1.25 MB`. */
export function byteText(bytes: number, locale: string): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value.toLocaleString(locale, { maximumSignificantDigits: 3 })} ${UNITS[unit]}`;
}
