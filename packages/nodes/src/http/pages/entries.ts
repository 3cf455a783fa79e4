import { isJsonObject, type Json, type NodeFailure } from '@millrace/engine';
import { refusedParam } from '../../kit/refused-param.ts';
import { findValue } from '../../kit/values/list/items.ts';
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
  const { holder, value } = findValue(body, path);
  if (Array.isArray(value)) return value;
  const isNothing = value === undefined || value === null || value === '';
  if (!isNothing) {
    // A text is no page of a list, but what a server says that is out of order.
    if (isCounted(params) || !isJsonObject(value)) throw notList(path, body);
    return [value];
  }
  if (!isJsonObject(holder) || (value === undefined && Object.values(holder).some(Array.isArray)))
    throw notList(path, body);
  if (value === undefined)
    services.log('warn', `a page has nothing at "${path}", which is taken as an empty list`);
  return [];
}

function notList(path: string, body: Json): NodeFailure {
  const fields = isJsonObject(body) ? Object.keys(body).slice(0, 10).join(', ') : '';
  const has = isJsonObject(body) ? `; the response has ${fields}` : '; the response is no object of JSON';
  return refusedParam(
    'paginationItems',
    path === '' ? `names no list yet${has}` : `"${path}" is no list${has}`,
  );
}
