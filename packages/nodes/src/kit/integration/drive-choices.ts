import { isJsonObject } from '@millrace/engine';
import type { ChoicePage, ChoiceRequest } from '../../implement.ts';
import { type Caller, type Connection, callJson } from './call-json.ts';
import { listIn } from './paging.ts';

const PAGE_SIZE = 50;

/** A text of a search query. https://developers.google.com/workspace/drive/api/guides/search-files */
export const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

interface DriveConnection {
  readonly caller: Caller;
  /** At the address of the Drive API. */
  readonly connection: Connection;
}

interface Wanted {
  readonly mime_type?: string;
  readonly not_mime_type?: string;
}

/** A page of files of Google Drive to choose from, found by words in their names. */
export async function driveChoices(
  { caller, connection }: DriveConnection,
  { mime_type, not_mime_type }: Wanted,
  { search, cursor }: ChoiceRequest,
): Promise<ChoicePage> {
  const q = [
    'trashed = false',
    ...(mime_type === undefined ? [] : [`mimeType = ${quote(mime_type)}`]),
    ...(not_mime_type === undefined ? [] : [`mimeType != ${quote(not_mime_type)}`]),
    ...(search.trim() === '' ? [] : [`name contains ${quote(search.trim())}`]),
  ].join(' and ');
  const { body } = await callJson(caller, connection, {
    path: '/drive/v3/files',
    query: {
      q,
      pageSize: PAGE_SIZE,
      pageToken: cursor ?? undefined,
      orderBy: 'modifiedTime desc',
      fields: 'nextPageToken,files(id,name,modifiedTime)',
      includeItemsFromAllDrives: true,
      supportsAllDrives: true,
    },
    effect: 'read',
  });
  const next = isJsonObject(body) ? body['nextPageToken'] : undefined;
  const items = listIn(connection.title, body, 'files').flatMap((file) => {
    const { id, name, modifiedTime } = isJsonObject(file) ? file : {};
    if (typeof id !== 'string') return [];
    const label = typeof name === 'string' && name !== '' ? name : id;
    return [
      { value: id, label, ...(typeof modifiedTime === 'string' ? { hint: modifiedTime.slice(0, 10) } : {}) },
    ];
  });
  return { items, next_cursor: typeof next === 'string' && next !== '' ? next : null };
}
