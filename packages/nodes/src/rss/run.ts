import { NodeFailure } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import type { z } from 'zod';
import { implement, type NodeCall } from '../implement.ts';
import { readBytes } from '../kit/files/read-bytes.ts';
import { readCount } from '../kit/integration/object-input.ts';
import { createRefusal } from '../kit/integration/refusal.ts';
import { decodeBody } from '../kit/network/response-body.ts';
import { webAddress } from '../kit/network/web-address.ts';
import { rss } from './definition.ts';

type Params = z.output<typeof rss.params>;

const TIMEOUT_MS = 60_000;
/** Reading a feed takes this process as long as it is large. */
const MOST_BYTES = 10 * MEGABYTE;
const MOST_ENTRIES = 10_000;

export const runRss = implement(rss, async ({ params, services, signal }: NodeCall<Params>) => {
  const most = readCount(params, 'limit', { most: MOST_ENTRIES, usual: MOST_ENTRIES });
  const { href, host } = webAddress(params, 'feedUrl');
  const answer = await services.http.request({
    method: 'GET',
    url: href,
    headers: [
      ['accept', 'application/rss+xml, application/atom+xml, application/xml, text/xml;q=0.9, */*;q=0.5'],
    ],
    timeout_ms: TIMEOUT_MS,
    max_response_bytes: MOST_BYTES,
    follow_redirects: true,
    signal,
  });
  const bytes = await readBytes(answer.body);
  const body = decodeBody(bytes, addCharset(bytes, answer.headers['content-type'] ?? '')) ?? null;
  if (answer.status < 200 || answer.status > 299) {
    const { message } = createRefusal(host, { status: answer.status, body }, { sign_in: null }).failure;
    throw new NodeFailure({ kind: 'upstream', message, details: { status: answer.status } });
  }
  const found =
    typeof body === 'string'
      ? await services.parsers.run('feed', [body, answer.url], { what: 'The feed', field: 'feedUrl', signal })
      : undefined;
  if (!found) {
    throw new NodeFailure({
      kind: 'upstream',
      message: `${host} answered with no RSS or Atom feed`,
      final: true,
    });
  }
  const items = found.items.slice(0, most);
  return { output: { feed: found.feed, items, count: items.length } };
});

const DECLARED = /^\s*<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/;
/** An XML declaration is shorter. */
const DECLARATION_BYTES = 200;

/** The type of an answer with its character set, which the first line names when the header does not (RFC 7303 section 3). */
function addCharset(bytes: Buffer, type: string): string {
  if (/charset\s*=/i.test(type)) return type;
  const charset = DECLARED.exec(bytes.subarray(0, DECLARATION_BYTES).toString('latin1'))?.[1];
  return charset === undefined ? type : `text/xml; charset=${charset}`;
}
