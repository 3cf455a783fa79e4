import type pg from 'pg';

/** Object ids of types in the catalogue of the server (pg_type.dat). */
const INT8 = 20;
const BYTEA = 17;
const TIMESTAMPTZ = 1184;
/** Dates and times without a zone, and spans: as the server writes them, for a zone would be invented otherwise. */
const AS_TEXT = new Set([1082, 1083, 1114, 1186, 1266]);

const whole = (text: string): number | string => {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : text;
};

const instant = (text: string): string => {
  const date = new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));
  return Number.isNaN(date.getTime()) ? text : date.toISOString();
};

/** How values of columns are read: whole numbers where that is exact, instants in ISO 8601, bytes as base64. */
export function createTypeParsers(types: typeof pg.types): { getTypeParser: typeof pg.types.getTypeParser } {
  const own = (oid: number): ((text: string) => unknown) | undefined => {
    if (AS_TEXT.has(oid)) return (text) => text;
    if (oid === INT8) return whole;
    if (oid === TIMESTAMPTZ) return instant;
    if (oid === BYTEA) return (text) => Buffer.from(text.slice(2), 'hex').toString('base64');
    return undefined;
  };
  const getTypeParser = (oid: number, format?: 'text' | 'binary') =>
    (format !== 'binary' && own(oid)) || types.getTypeParser(oid, format ?? 'text');
  return { getTypeParser: getTypeParser as typeof pg.types.getTypeParser };
}
