import { isJsonObject, type JsonObject, NodeFailure, readText } from '@millrace/engine';
import type { z } from 'zod';
import { implement, type NodeCall } from '../implement.ts';
import { buildConnection, type Connection, callJson } from '../kit/integration/call-json.ts';
import { requiredText } from '../kit/integration/object-input.ts';
import { createCaller, readCredential } from '../kit/integration/run-caller.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { findElements } from '../kit/text/html/elements.ts';
import { readSelectors } from '../kit/text/html/selectors.ts';
import { flaresolverrCredential } from './credential.ts';
import { crawler } from './definition.ts';

type Params = z.output<typeof crawler.params>;

const TITLE = 'FlareSolverr';
/** Beyond the time limit of the page: the start of a browser and the way back. */
const MARGIN_MS = 30_000;
const SELECTORS = 'crawlerSelectors';

export const runCrawler = implement(crawler, async (call) => {
  const { params } = call;
  const config = await readCredential(call, flaresolverrCredential);
  const connection = buildConnection(TITLE, flaresolverrCredential, config);
  const url = readCrawlerUrl(params);
  const selectors = params.crawlerMode === 'extract' ? readSelectors(params, SELECTORS) : undefined;
  // The server asks for the page by itself, so its address is checked here as if this process asked.
  await call.services.http.resolveAddresses(new URL(url).hostname, call.signal);
  const { html, status } = await read(call, connection, url);
  const extracted = selectors && (await findElements(call, html, { selectors, field: SELECTORS }));
  return { output: { html, url, status, ...(extracted ? { extracted } : {}) } };
});

function readCrawlerUrl(params: Params): string {
  const text = requiredText(params, 'crawlerUrl');
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text;
  throw refusedParam('crawlerUrl', 'must be an address that starts with https:// or http://');
}

/** https://github.com/FlareSolverr/FlareSolverr#-requestget */
async function read(call: NodeCall<Params>, connection: Connection, url: string) {
  const { crawlerWaitSeconds: wait_s, crawlerMaxTimeout: maxTimeout } = call.params;
  const { body } = await callJson(createCaller(call), connection, {
    method: 'POST',
    path: '/v1',
    body: { cmd: 'request.get', url, maxTimeout, ...(wait_s > 0 ? { waitInSeconds: wait_s } : {}) },
    timeout_ms: maxTimeout + wait_s * 1000 + MARGIN_MS,
    effect: 'read',
  });
  const { solution, message } = isJsonObject(body) ? body : {};
  if (solution !== undefined && isJsonObject(solution)) return readPage(solution);
  const words = typeof message === 'string' && message !== '' ? `: ${message}` : '';
  throw new NodeFailure({ kind: 'upstream', message: `${TITLE} did not read the page${words}` });
}

function readPage({ response, status = null }: JsonObject) {
  return { html: readText(response), status };
}
