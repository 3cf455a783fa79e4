import { isJsonObject, type Json, type NodeFailure } from '@millrace/engine';
import { refusedParam } from '../../kit/refused-param.ts';
import type { NodeServices } from '../../services.ts';
import { type Following, isCounted } from './next-request.ts';

interface Call {
  readonly params: Pick<Following, 'pagination'> & { readonly paginationItems: string };
  readonly services: Pick<NodeServices, 'log'>;
}

/**
 * The entries of a page. Several services leave an empty list out, so a field that is missing is one, unless the object where
 * it should be has another list or is missing itself: then the name is wrong, or the response is no page.
 */
export function readEntries({ params, services }: Call, body: Json): readonly Json[] {
  const path = params.paginationItems.trim();
  if (body === '' || body === null) return [];
  const { holder, value } = find(body, path);
  if (Array.isArray(value)) return value;
  const isNothing = value === undefined || value === null || value === '';
  if (!isNothing) {
    if (isCounted(params)) throw notList(path, body);
    return [value];
  }
  if (!isJsonObject(holder) || (value === undefined && Object.values(holder).some(Array.isArray)))
    throw notList(path, body);
  if (value === undefined)
    services.log('warn', `a page has nothing at "${path}", which is taken as an empty list`);
  return [];
}

/** The value at a path, undefined when there is none, and the object that has it or should have it. */
function find(body: Json, path: string): { holder: Json | undefined; value: Json | undefined } {
  let holder: Json | undefined;
  let value: Json | undefined = body;
  for (const part of path === '' ? [] : path.split('.')) {
    holder = value;
    value = isJsonObject(holder) && Object.hasOwn(holder, part) ? holder[part] : undefined;
  }
  return { holder, value };
}

function notList(path: string, body: Json): NodeFailure {
  const fields = isJsonObject(body) ? Object.keys(body).slice(0, 10).join(', ') : '';
  const has = fields === '' ? '' : `; the response has ${fields}`;
  return refusedParam(
    'paginationItems',
    path === '' ? `names no list yet${has}` : `"${path}" is no list${has}`,
  );
}
