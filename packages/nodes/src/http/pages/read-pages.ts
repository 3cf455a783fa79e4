import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Json, type NodeFailure, resolveEffect } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import type { z } from 'zod';
import { maySendAgain, pauseAfter } from '../../kit/integration/rate-limit.ts';
import { MAX_WAIT_MS } from '../../kit/integration/run-caller.ts';
import { refusedParam } from '../../kit/refused-param.ts';
import type { NodeCall } from '../../node-call.ts';
import type { CurlRequest } from '../curl/request.ts';
import { http } from '../definition.ts';
import { readEntries } from './entries.ts';
import { buildRequest, findLead, isCounted, type Page, upstream } from './next-request.ts';

type Params = z.output<typeof http.params>;

/** An answer whose body was read to its end. */
export interface PageAnswer {
  readonly status: number;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
  readonly body_encoding?: 'base64';
  readonly size_bytes: number;
}

interface Reader {
  readonly call: Pick<NodeCall<Params>, 'node' | 'params' | 'services' | 'signal' | 'progress'>;
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
  const requireNew = createEndlessCheck(params);
  let size_bytes = 0;
  let before: Page | undefined;
  // A page like the one before it, which may be a repetition of the last: the next one tells.
  let held: Page | undefined;
  let last: PageAnswer | undefined;
  let request = first;
  for (let pages = 1; ; pages++) {
    requireNew(request);
    const answer = await sendPatiently(call, () => ask(request, pages));
    if (answer.status < 200 || answer.status >= 300) {
      if (last === undefined) return answer;
      if (!isEnd(params, answer.status)) throw refused(answer);
      if (held) addPage(params, held, list);
      return { last, list, pages: pages - 1, has_more: false };
    }
    size_bytes += answer.size_bytes;
    if (size_bytes > most_bytes) throw tooLarge(most_bytes, pages);
    last = answer;
    const page: Page = { ...answer, entries: readEntries(call, answer.body) };
    const isRepeat = repeatsLast(params, page, before);
    if (isRepeat && held) {
      if (pages === 3) throw withoutEffect(params);
      services.log(
        'warn',
        `pages ${pages - 1} and ${pages} are the same as the one before them, which is the last`,
      );
      return { last, list, pages: pages - 2, has_more: false };
    }
    if (held) addPage(params, held, list);
    held = isRepeat ? page : undefined;
    if (!held) addPage(params, page, list);
    const lead = findLead(params, request, page);
    if (lead === undefined) return { last, list, pages, has_more: false };
    if (pages >= params.paginationLimit) {
      if (held) addPage(params, held, list);
      services.log('warn', `only ${pages} pages were read, as "Maximum number of pages" says`);
      return { last, list, pages, has_more: true };
    }
    call.progress({ message: `${pages + 1} / ${params.paginationLimit}` });
    request = buildRequest(params, request, page, lead);
    before = page;
    if (params.paginationPause > 0)
      await services.sleepUntil(services.now() + params.paginationPause * 1000, signal);
  }
}

/** Refuses a request that was sent before. Numbers that count up never come back. */
function createEndlessCheck(params: Params): (request: CurlRequest) => void {
  const sent = new Set<string>();
  return ({ url, body }) => {
    if (isCounted(params)) return;
    const text = typeof body === 'string' ? body : '';
    const name = createHash('sha256').update(`${url}\n${text}`).digest('base64');
    if (sent.has(name))
      throw upstream('a page names one as the next that was there before; the list does not end');
    sent.add(name);
  };
}

/** A page that the server limits is asked for again, so that what was read before it is not lost. */
async function sendPatiently(
  { node, services, signal }: Reader['call'],
  send: () => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const mayRepeat = resolveEffect(http, node.data) !== 'unsafe';
  let waited_ms = 0;
  for (let times = 0; ; times++) {
    const answer = await send();
    const pause_ms = pauseAfter(answer, services.now());
    const isOver = pause_ms === undefined || times === MAX_WAITS || waited_ms + pause_ms > MAX_WAIT_MS;
    if (isOver || !maySendAgain(answer.status, mayRepeat)) return answer;
    waited_ms += pause_ms;
    await services.sleepUntil(services.now() + pause_ms, signal);
  }
}

function addPage(params: Params, page: Page, list: Json[]): void {
  const isBehindLast = isCounted(params) && page.entries.length === 0;
  if (params.paginationOutput === 'entries') for (const entry of page.entries) list.push(entry);
  else if (!isBehindLast) list.push(page.body);
}

/** Some servers answer with the last page for every number behind it, and with the first for every number. */
function repeatsLast(params: Params, { entries }: Page, before: Page | undefined): boolean {
  if (!before || !isCounted(params) || entries.length === 0) return false;
  return entries.length === before.entries.length && isDeepStrictEqual(entries, before.entries);
}

const withoutEffect = ({ paginationParameter }: Params): NodeFailure =>
  refusedParam(
    'paginationParameter',
    `the server answers with the same page for each "${paginationParameter}"; check the name, unless the list has one page only`,
  );

function isEnd(params: Params, status: number): boolean {
  return isCounted(params) && params.paginationEnd.split(',').some((one) => one.trim() === String(status));
}

const tooLarge = (most_bytes: number, pages: number) =>
  upstream(
    `the first ${pages} pages are larger than ${most_bytes / MEGABYTE} MB together; lower "Maximum number of pages"`,
  );
