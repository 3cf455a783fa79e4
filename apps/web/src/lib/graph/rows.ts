import type { Json, JsonObject } from '@millrace/engine';
import { isJsonObject, printValue, readText } from '@millrace/engine/json';
import { toText } from '../json/to-text.ts';

export interface MappingRow extends JsonObject {
  key: string;
  value: Json;
}

/** Stored rows of `{key, value}`; what is not one is left out of the form, never out of the document by itself. */
export function mappingRows(value: Json | undefined): MappingRow[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isJsonObject).map((row) => ({
    ...row,
    key: readText(row['key']),
    value: row['value'] ?? '',
  }));
}

export interface InputFieldRow extends JsonObject {
  key: string;
}

export function inputFieldRows(value: Json | undefined): InputFieldRow[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isJsonObject).map((row) => ({ ...row, key: readText(row['key']) }));
}

/** Cases of a switch; exports also write them as text with commas. */
export function caseRows(value: Json | undefined): string[] {
  if (typeof value === 'string') return value.split(',').map((item) => item.trim());
  if (!Array.isArray(value)) return [];
  return value.map((item) => printValue(item));
}

export interface PythonToolRow extends JsonObject {
  name: string;
  description: string;
  /** JSON Schema as text. */
  parameters: string;
  code: string;
}

export function pythonToolRows(value: Json | undefined): PythonToolRow[] {
  if (!Array.isArray(value)) return [];
  const formatStored = (stored: Json | undefined) =>
    typeof stored === 'string' ? stored : stored === undefined ? '' : JSON.stringify(stored, null, 2);
  return value.filter(isJsonObject).map((row) => ({
    ...row,
    name: formatStored(row['name']),
    description: formatStored(row['description']),
    parameters: formatStored(row['parameters']),
    code: formatStored(row['code']),
  }));
}

export interface ToolReviewRow extends JsonObject {
  tool: string;
  /** `always` or `once`; another text is kept, so that the form shows what is wrong. */
  mode: string;
}

export function toolReviewRows(value: Json | undefined): ToolReviewRow[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isJsonObject).map((row) => ({
    ...row,
    tool: toText(row['tool']),
    mode: row['mode'] === undefined ? 'always' : toText(row['mode']),
  }));
}
