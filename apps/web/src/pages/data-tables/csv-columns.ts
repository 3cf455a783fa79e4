import type { DataColumnType, DataCsvPreview } from '@millrace/contracts';

const NUMBER = /^-?(0|[1-9]\d{0,14})(\.\d+)?$/;
const BOOLEAN = /^(true|false)$/i;

/** Types that the first rows of a file allow; text for what could lose something, such as digits in front. */
function guessType(values: readonly string[]): DataColumnType {
  const filled = values.filter((value) => value !== '');
  if (filled.length === 0) return 'string';
  if (filled.every((value) => NUMBER.test(value))) return 'number';
  return filled.every((value) => BOOLEAN.test(value)) ? 'boolean' : 'string';
}

/** The columns that a table without any gets from a file: one for each header that has a name, in their order. */
export function guessColumns({ headers, rows }: DataCsvPreview): Record<string, DataColumnType> {
  return Object.fromEntries(
    headers.flatMap(({ header }, place) =>
      header.trim() === '' ? [] : [[header, guessType(rows.map((row) => row[place] ?? ''))]],
    ),
  );
}
