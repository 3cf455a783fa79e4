import { type JsonObject, NodeFailure } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import { readBytes } from '../../../kit/files/read-bytes.ts';
import { hostsIn, isAmong } from '../../../kit/network/host-list.ts';
import { textOfBytes } from '../../../kit/network/response-body.ts';
import { webAddress } from '../../../kit/network/web-address.ts';
import type { EgressResponse } from '../../../services.ts';
import { type AgentCall, orFailedResult, type Tool, type Used, usedInOneStep } from '../tool.ts';

const MAX_PAGE_BYTES = 5 * MEGABYTE;
/** Longer texts are cut; what is longer than a message may be is read in parts. */
const MAX_CHARACTERS = 200_000;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const HTML = /^\s*(?:text\/html|application\/xhtml\+xml)/i;

/** `fetch_url`, when the agent may read the web. */
export function fetchTools(call: AgentCall): Tool[] {
  const { webFetchEnabled, webFetchHosts } = call.params;
  if (!webFetchEnabled) return [];
  const hosts = hostsIn(webFetchHosts, 'webFetchHosts');
  const only = hosts.length === 0 ? '' : ` Hosts: ${hosts.join(', ')}`;
  return [
    {
      definition: {
        name: 'fetch_url',
        description: `Reads a page or a text file of the web and returns its text, pages as Markdown.${only}`,
        input_schema: {
          type: 'object',
          properties: {
            url: { type: 'string', description: 'Address that begins with https:// or http://' },
          },
          required: ['url'],
          additionalProperties: false,
        },
      },
      source: 'web',
      is_parallel: true,
      touches: 'reads',
      is_outside: true,
      use: (input, key) =>
        orFailedResult(
          call,
          call.step<Used>(key, 'read', ({ signal }) =>
            usedInOneStep(call, async () => ({ result: await fetchPage(call, { input, hosts, signal }) })),
          ),
        ),
    },
  ];
}

interface Wanted {
  readonly input: JsonObject;
  readonly hosts: readonly string[];
  readonly signal: AbortSignal;
}

async function fetchPage(call: AgentCall, { input, hosts, signal }: Wanted): Promise<JsonObject> {
  const { services } = call;
  const response = await followRedirects(call, { url: addressIn(input), hosts, signal });
  const type = response.headers['content-type'] ?? '';
  const text = textOfBytes(await readBytes(response.body), type);
  if (text === undefined) {
    const kind = type === '' ? 'no text' : `${type.slice(0, 100)}, which is no text`;
    throw new NodeFailure({ kind: 'upstream', message: `The answer of ${response.url} is ${kind}` });
  }
  const page = HTML.test(type)
    ? await services.parsers.run('page_text', [text, response.url], { what: 'The page', signal })
    : { text };
  return {
    url: response.url,
    status: response.status,
    content_type: type,
    ...page,
    text: page.text.slice(0, MAX_CHARACTERS),
    ...(page.text.length > MAX_CHARACTERS ? { cut_at_character: MAX_CHARACTERS } : {}),
  };
}

function addressIn(input: JsonObject): URL {
  try {
    return webAddress(input, 'url');
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    throw new NodeFailure({ ...error.failure, message: `"url" ${error.failure.message}` });
  }
}

interface Asked {
  readonly url: URL;
  readonly hosts: readonly string[];
  readonly signal: AbortSignal;
}

/** The answer at the end of the redirects. Each is followed here, for each may lead to a host that is not allowed. */
async function followRedirects(call: AgentCall, asked: Asked): Promise<EgressResponse> {
  const { services, params } = call;
  const due_ms = services.now() + params.toolTimeoutSeconds * 1_000;
  let { url } = asked;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    requireAllowed(url, asked.hosts);
    const response = await services.http.request({
      method: 'GET',
      url: url.href,
      headers: [['accept', 'text/html, text/markdown, text/plain, application/json;q=0.9, */*;q=0.1']],
      timeout_ms: Math.max(due_ms - services.now(), 1),
      max_response_bytes: MAX_PAGE_BYTES,
      follow_redirects: false,
      signal: asked.signal,
    });
    const { location } = response.headers;
    const target = location === undefined ? null : URL.parse(location, url.href);
    if (!REDIRECTS.has(response.status) || target === null) return response;
    await readBytes(response.body);
    url = addressIn({ url: target.href });
  }
  throw new NodeFailure({
    kind: 'upstream',
    message: `${asked.url.host}: more than ${MAX_REDIRECTS} redirects`,
  });
}

function requireAllowed({ hostname }: URL, hosts: readonly string[]): void {
  if (isAmong(hostname, hosts)) return;
  throw new NodeFailure({
    kind: 'params',
    field: 'url',
    message: `${hostname} is not among the hosts that this agent may read: ${hosts.join(', ')}`,
  });
}
