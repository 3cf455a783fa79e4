import type { DataColumn, DataRow } from '@millrace/contracts';
import { readJsonText } from '@millrace/engine/json';
import { toText } from '../../lib/json/to-text.ts';

type Cell = DataRow['data'][string];

/** A cell as it is shown and edited. */
export const cellText = (value: Cell | undefined): string => toText(value);

/** The typed text as the value to send: null for nothing, undefined when it is no JSON where JSON is wanted. */
export function parseCell({ type }: Pick<DataColumn, 'type'>, text: string): Cell | undefined {
  if (text.trim() === '') return null;
  return type === 'json' ? readJsonText(text) : text;
}
