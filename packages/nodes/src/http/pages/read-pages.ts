import { type Json, NodeFailure } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import type { z } from 'zod';
import { pauseAfter } from '../../kit/integration/rate-limit.ts';
import { refusedParam } from '../../kit/refused-param.ts';
import { valueAt } from '../../kit/values/list/items.ts';
import type { NodeCall } from '../../node-call.ts';
import type { CurlRequest } from '../curl/request.ts';
import type { http } from '../definition.ts';
import { nextRequest, type Page } from './next-request.ts';

type Params = z.output<typeof http.params>;

/** An answer whose body was read to its end. */
export interface PageAnswer {
  readonly status: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  readonly size_bytes: number;
}

interface Reader {
  readonly call: Pick<NodeCall<Params>, 'params' | 'services' | 'signal' | 'progress'>;
  /** `page` counts from 1. */
  readonly ask: (request: CurlRequest, page: number) => Promise<PageAnswer>;
  /** The failure of a page that the server refuses. */
  readonly refused: (answer: PageAnswer) => NodeFailure;
}

export interface Pages {
  readonly last: PageAnswer;
  readonly list: Json[];
  readonly pages: number;
  readonly has_more: boolean;
}

/** Of the pauses that a server asks for because of too many requests, for each page. */
const MAX_WAIT_MS = 60_000;
const MAX_WAITS = 3;

/**
 * The pages of a list, one request after the other; the answer itself when the first page is refused.
 *
 * @param most_bytes of all bodies together
 */
export async function readPages(
  { call, ask, refused }: Reader,
  first: CurlRequest,
  most_bytes: number,
): Promise<Pages | PageAnswer> {
  const { params, services, signal } = call;
  const list: Json[] = [];
  const asked = new Set<string>();
  let size_bytes = 0;
  let before: Page | undefined;
  let request = first;
  for (let pages = 1; ; pages++) {
    asked.add(nameRequest(request));
    const answer = await sendPatiently(call, () => ask(request, pages));
    if (answer.status >= 400) {
      if (pages === 1) return answer;
      if (isEnd(params, answer.status)) return { last: answer, list, pages: pages - 1, has_more: false };
      throw refused(answer);
    }
    size_bytes += answer.size_bytes;
    if (size_bytes > most_bytes) throw tooLarge(most_bytes, pages);
    const page: Page = { ...answer, entries: readEntries(params, answer.body) };
    requireProgress(params, page, before);
    addPage(params, page, list);
    const next = nextRequest(params, request, page);
    if (next === undefined) return { last: answer, list, pages, has_more: false };
    if (asked.has(nameRequest(next)))
      throw upstream(
        `page ${pages} names a page as the next one that was there before; the list does not end`,
      );
    if (pages >= params.paginationLimit) {
      services.log(
        'warn',
        `there are further pages behind the ${pages} that "Maximum number of pages" allows`,
      );
      return { last: answer, list, pages, has_more: true };
    }
    call.progress({ message: `Page ${pages + 1}` });
    before = page;
    request = next;
    if (params.paginationPause > 0)
      await services.sleepUntil(services.now() + params.paginationPause * 1000, signal);
  }
}

/** A page that the server limits is asked for again, so that what was read before it is not lost. */
async function sendPatiently(
  { services, signal }: Reader['call'],
  send: () => Promise<PageAnswer>,
): Promise<PageAnswer> {
  let waited_ms = 0;
  for (let times = 0; ; times++) {
    const answer = await send();
    const pause_ms = pauseAfter(answer, services.now());
    if (pause_ms === undefined || times === MAX_WAITS || waited_ms + pause_ms > MAX_WAIT_MS) return answer;
    waited_ms += pause_ms;
    await services.sleepUntil(services.now() + pause_ms, signal);
  }
}

function addPage({ paginationOutput, pagination }: Params, page: Page, list: Json[]): void {
  const isBehindLast = isCounted(pagination) && page.entries.length === 0;
  if (paginationOutput === 'entries') for (const entry of page.entries) list.push(entry);
  else if (!isBehindLast) list.push(page.body);
}

const isCounted = (pagination: Params['pagination']): boolean =>
  pagination === 'page' || pagination === 'offset';

/** The entries of a page. Where a number counts up, only an empty list says that there is no further page. */
function readEntries({ pagination, paginationItems: path }: Params, body: Json): readonly Json[] {
  const value = valueAt(body, path);
  if (Array.isArray(value)) return value;
  if (value === null || value === '') return [];
  if (!isCounted(pagination)) return [value];
  const fields =
    typeof body === 'object'
      ? Object.keys(body ?? {})
          .slice(0, 10)
          .join(', ')
      : '';
  const has = fields === '' ? '' : `; the response has ${fields}`;
  throw refusedParam(
    'paginationItems',
    path === '' ? `names no list yet${has}` : `"${path}" is no list${has}`,
  );
}

/** A server that ignores the parameter answers with the same page for ever. */
function requireProgress(
  { pagination, paginationParameter }: Params,
  page: Page,
  before: Page | undefined,
): void {
  if (!before || !isCounted(pagination) || page.entries.length === 0) return;
  if (JSON.stringify(page.entries) !== JSON.stringify(before.entries)) return;
  throw refusedParam(
    'paginationParameter',
    `the server answers with the same page for each "${paginationParameter}"; check the name`,
  );
}

function isEnd({ pagination, paginationEnd }: Params, status: number): boolean {
  return isCounted(pagination) && paginationEnd.split(',').some((one) => one.trim() === String(status));
}

const nameRequest = ({ url, body }: CurlRequest): string => `${url}\n${typeof body === 'string' ? body : ''}`;

const upstream = (message: string) => new NodeFailure({ kind: 'upstream', message, final: true });

const tooLarge = (most_bytes: number, pages: number) =>
  upstream(
    `the first ${pages} pages are larger than ${most_bytes / MEGABYTE} MB together; lower "Maximum number of pages"`,
  );
