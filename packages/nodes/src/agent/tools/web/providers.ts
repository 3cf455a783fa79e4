import { isJsonObject, type Json, type JsonObject, readTextAt } from '@millrace/engine';
import {
  type Caller,
  type Connection,
  callJson,
  type JsonRequest,
} from '../../../kit/integration/call-json.ts';

export type SearchHit = { title: string; url: string; snippet: string };

/** Most that every provider gives in one answer. */
export const MOST_HITS = 20;
const MOST_SNIPPET_CHARACTERS = 2_000;

interface Provider {
  readonly request: (query: string, count: number) => Pick<JsonRequest, 'method' | 'path' | 'query' | 'body'>;
  /** The list of results in an answer. */
  readonly hits: (answer: JsonObject) => Json | undefined;
  /** Key of the text that a result shows of its page. */
  readonly snippet: string;
}

/** By type of credential. */
const PROVIDERS: Readonly<Record<string, Provider>> = {
  brave_search: {
    request: (query, count) => ({
      path: '/res/v1/web/search',
      query: { q: query, count, text_decorations: false },
    }),
    hits: ({ web }) => (isJsonObject(web) ? web['results'] : undefined),
    snippet: 'description',
  },
  tavily: {
    request: (query, count) => ({ method: 'POST', path: '/search', body: { query, max_results: count } }),
    hits: ({ results }) => results,
    snippet: 'content',
  },
  searxng: {
    request: (query) => ({ path: '/search', query: { q: query, format: 'json' } }),
    hits: ({ results }) => results,
    snippet: 'content',
  },
};

interface Search {
  /** Type of the credential. */
  readonly type: string;
  readonly query: string;
  readonly count: number;
  readonly timeout_ms: number;
}

/** Pages of the web that a provider finds, the best first; at most `count`. Throws `NodeFailure`. */
export async function searchWeb(
  caller: Caller,
  connection: Connection,
  { type, query, count, timeout_ms }: Search,
): Promise<SearchHit[]> {
  const provider = PROVIDERS[type];
  if (!provider) throw new Error(`${type} is no type of credential that searches`);
  const { body } = await callJson(caller, connection, {
    ...provider.request(query, count),
    effect: 'read',
    timeout_ms,
  });
  const hits = isJsonObject(body) ? provider.hits(body) : undefined;
  if (!Array.isArray(hits)) return [];
  return hits
    .filter(isJsonObject)
    .map((hit) => ({
      title: readTextAt(hit, 'title'),
      url: readTextAt(hit, 'url'),
      snippet: readTextAt(hit, provider.snippet).slice(0, MOST_SNIPPET_CHARACTERS),
    }))
    .filter(({ url }) => url !== '')
    .slice(0, count);
}
