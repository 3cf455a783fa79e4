import { isJsonObject, type Json } from '@millrace/engine';
import type { z } from 'zod';
import { implement, type NodeCall } from '../implement.ts';
import { buildConnection, type Connection, callJson } from '../kit/integration/call-json.ts';
import { readCount, requiredText } from '../kit/integration/object-input.ts';
import { listIn } from '../kit/integration/paging.ts';
import { createCaller, readCredential } from '../kit/integration/run-caller.ts';
import { youcomCredential } from './credential.ts';
import { youcomSearch } from './definition.ts';

type Params = z.output<typeof youcomSearch.params>;

const TITLE = 'You.com';
const MOST_RESULTS = 20;
const USUAL_RESULTS = 10;

/** Takes no key, and answers in the same form (https://docs.you.com). */
const WITHOUT_KEY: Connection = { title: TITLE, service: { base_url: 'https://api.you.com', headers: {} } };

export const runYoucomSearch = implement(youcomSearch, async (call: NodeCall<Params>) => {
  const { params } = call;
  const query = requiredText(params, 'query');
  const most = readCount(params, 'count', { most: MOST_RESULTS, usual: USUAL_RESULTS });
  const has_api_key = params.credentialId !== '';
  const connection = has_api_key
    ? buildConnection(TITLE, youcomCredential, await readCredential(call, youcomCredential))
    : WITHOUT_KEY;
  const { body } = await callJson(createCaller(call), connection, {
    path: has_api_key ? '/v1/search' : '/v1/agents/search',
    query: { query, count: most, safesearch: params.safesearch },
    effect: 'read',
  });
  const found = isJsonObject(body) ? (body['results'] ?? null) : null;
  const pages = listIn(TITLE, found, 'web');
  // Of each kind as many as were asked for may come.
  const results = pages.slice(0, most).map(readResult);
  const total_results = pages.length + countNews(found);
  return {
    output: { results, query, count: results.length, total_results, has_api_key, status: 'success' as const },
  };
});

const countNews = (found: Json): number =>
  isJsonObject(found) && Array.isArray(found['news']) ? found['news'].length : 0;

function readResult(page: Json): { title: string; url: string; snippet: string } {
  const { title, url, description, snippets } = isJsonObject(page) ? page : {};
  const [first] = Array.isArray(snippets) ? snippets : [];
  return {
    title: readWords(title),
    url: readWords(url),
    snippet: readWords(description) || readWords(first),
  };
}

const readWords = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
