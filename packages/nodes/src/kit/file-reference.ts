import { isJsonObject } from '@millrace/engine';
import { refusedParam } from './refused-param.ts';

/** The id or address of a file of the Drive in a parameter, which may also be a file as nodes put it out. */
export function fileReferenceIn(params: Readonly<Record<string, unknown>>, name: string): string {
  const value = params[name];
  const reference = isJsonObject(value) ? (value['id'] ?? value['download_url']) : value;
  if (typeof reference === 'string' && reference.trim() !== '') return reference.trim();
  throw refusedParam(name, 'is empty or no file; enter the id or the address of a file');
}
