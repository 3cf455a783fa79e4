import { NodeFailure } from '@millrace/engine';
import { bytesOfBase64 } from '../kit/base64.ts';
import { refusalOf } from '../kit/integration/refusal.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { bodyOf } from '../kit/response-body.ts';
import { webAddress } from '../kit/web-address.ts';
import type { EgressResponse, NodeServices } from '../services.ts';

const MEGABYTE = 1024 * 1024;
const TIMEOUT_MS = 15 * 60_000;
/** The limit of stored files is lower unless the installation has raised it. */
const MOST_BYTES = 5 * 1024 * MEGABYTE;
const MOST_WORDS = 100_000;
const NAMELESS = 'file';

interface Source {
  readonly filename: string;
  readonly body: AsyncIterable<Uint8Array>;
}

interface SourceParams extends Readonly<Record<string, unknown>> {
  readonly driveSourceUrl: string;
  readonly driveBase64Content: string;
  readonly driveFilename: string;
}

/** What `save` stores; nothing is fetched before the body is read. */
export function sourceOf(params: SourceParams, http: NodeServices['http'], signal: AbortSignal): Source {
  const url = params.driveSourceUrl.trim();
  const content = params.driveBase64Content.trim();
  const filename = params.driveFilename.trim();
  if (url === '' && content === '') {
    throw refusedParam('driveSourceUrl', 'is empty; enter an address, or the content in base64');
  }
  if (url === '') {
    return { filename: filename || NAMELESS, body: once(bytesOfBase64(content, 'driveBase64Content')) };
  }
  if (content !== '') {
    throw refusedParam('driveBase64Content', 'must be empty when the file is downloaded from an address');
  }
  const address = webAddress(params, 'driveSourceUrl');
  return { filename: filename || lastPart(address), body: download(address, http, signal) };
}

function lastPart({ pathname }: URL): string {
  const part = pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(part) || NAMELESS;
  } catch {
    return part || NAMELESS;
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* download(
  address: URL,
  http: NodeServices['http'],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const answer = await http.request({
    method: 'GET',
    url: address.href,
    headers: [],
    timeout_ms: TIMEOUT_MS,
    max_response_bytes: MOST_BYTES,
    follow_redirects: true,
    signal,
  });
  if (answer.status >= 200 && answer.status < 300) yield* answer.body;
  else throw await refused(address, answer);
}

async function refused({ host }: URL, { status, headers, body }: EgressResponse): Promise<NodeFailure> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MOST_WORDS) break;
  }
  const said = bodyOf(Buffer.concat(chunks), headers['content-type'] ?? '') ?? null;
  const { message } = refusalOf(host, { status, body: said }).failure;
  return new NodeFailure({ kind: 'upstream', message, details: { status } });
}
