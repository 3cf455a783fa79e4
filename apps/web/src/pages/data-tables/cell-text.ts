import type { DataColumn, DataRow } from '@millrace/contracts';
import { printValue } from '@millrace/engine/json';

type Cell = DataRow['data'][string];

/** A cell as it is shown and edited. */
export const cellText = (value: Cell | undefined): string =>
  value === null || value === undefined ? '' : printValue(value);

/** The typed text as the value to send: null for nothing, undefined when it is no JSON where JSON is wanted. */
export function parseCell({ type }: Pick<DataColumn, 'type'>, text: string): Cell | undefined {
  if (text.trim() === '') return null;
  if (type !== 'json') return text;
  try {
    return JSON.parse(text) as Cell;
  } catch {
    return undefined;
  }
}
