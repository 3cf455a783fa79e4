import type { FieldType } from '@millrace/contracts/portal-input';
import type { Json } from '@millrace/engine';
import { type InputFieldRow } from '../../lib/graph/rows.ts';
import { toText } from '../../lib/json/to-text.ts';

/** The row with one of its values changed; an empty one goes. */
export function withValue(row: InputFieldRow, name: string, value: Json): InputFieldRow {
  const { [name]: _, ...rest } = row;
  const isEmpty = value === '' || (Array.isArray(value) && value.length === 0);
  return isEmpty ? { ...rest, key: row.key } : { ...row, [name]: value };
}

/** Values that are not texts are typed as JSON writes them, so that a number stays one. */
export function parseDefault(type: FieldType | '', text: string): Json {
  const word = text.trim();
  if (type === 'number' && word !== '' && Number.isFinite(Number(word))) return Number(word);
  if (type === 'boolean') return word === 'true' || (word === 'false' ? false : '');
  return text;
}

/** Choices, separated by commas. */
export const parseOptions = (text: string): string[] =>
  text
    .split(',')
    .map((option) => option.trim())
    .filter((option) => option !== '');

/** The text that stored choices are edited as. */
export const optionsText = (options: Json | undefined): string =>
  Array.isArray(options) ? options.map(toText).join(', ') : '';
