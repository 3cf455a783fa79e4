import { isJsonObject } from '@millrace/engine';
import { refusedParam } from '../refused-param.ts';

/** Keys under which outputs of nodes name a file, or hold one: `{file: {id}}` of an upload, `{file_id}` of a changed file. */
const KEYS = ['id', 'file_id', 'fileId', 'download_url', 'file', 'result', 'data'];
const MAX_DEPTH = 3;

/** The id or address of a file of the Drive in a parameter, which may also be a file or the output of a node that has one. */
export function fileReferenceIn(params: Readonly<Record<string, unknown>>, name: string): string {
  const reference = findFileReference(params[name]);
  if (reference !== '') return reference;
  throw refusedParam(name, 'is empty or no file; enter the id or the address of a file');
}

/** The same in any value; empty when there is none. */
export const findFileReference = (value: unknown): string => referenceIn(value, 0);

function referenceIn(value: unknown, depth: number): string {
  if (typeof value === 'string') return value.trim();
  if (depth > MAX_DEPTH) return '';
  if (Array.isArray(value)) return referenceIn(value[0], depth + 1);
  if (!isJsonObject(value)) return '';
  for (const key of KEYS) {
    const found = referenceIn(value[key], depth + 1);
    if (found !== '') return found;
  }
  return '';
}
