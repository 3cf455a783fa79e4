import { NodeFailure } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import { bytesOfBase64 } from '../kit/files/base64.ts';
import { yieldOnce } from '../kit/files/yield-once.ts';
import { requiredText } from '../kit/integration/object-input.ts';
import { createRefusal } from '../kit/integration/refusal.ts';
import { filenameIn, lastPathPart } from '../kit/network/file-name.ts';
import { decodeBody } from '../kit/network/response-body.ts';
import { webAddress } from '../kit/network/web-address.ts';
import type { EgressResponse, NodeServices } from '../services.ts';

const TIMEOUT_MS = 15 * 60_000;
/** The limit of stored files is lower unless the installation has raised it. */
const MOST_BYTES = 5 * 1024 * MEGABYTE;
const MOST_WORDS = 100_000;
const NAMELESS = 'file';

interface Source {
  readonly filename: string | (() => string);
  readonly body: AsyncIterable<Uint8Array>;
}

interface ContentParams extends Readonly<Record<string, unknown>> {
  readonly driveBase64Content: string;
  readonly driveFilename: string;
}

interface DownloadParams extends Readonly<Record<string, unknown>> {
  readonly driveSourceUrl: string;
  readonly driveFilename: string;
}

/** The content that `save` stores. */
export function createContentSource(params: ContentParams): Source {
  const content = requiredText(params, 'driveBase64Content');
  const filename = requiredText(params, 'driveFilename');
  return { filename, body: yieldOnce(bytesOfBase64(content, 'driveBase64Content')) };
}

/**
 * The content that `downloadUrl` stores; nothing is fetched before the body is read, and so not again when it is stored
 * already.
 */
export function createDownloadSource(
  params: DownloadParams,
  http: NodeServices['http'],
  signal: AbortSignal,
): Source {
  const address = webAddress(params, 'driveSourceUrl');
  const given = params.driveFilename.trim();
  let filename = given || (lastPathPart(address) ?? NAMELESS);
  async function* body(): AsyncGenerator<Uint8Array> {
    const answer = await download(address, http, signal);
    if (given === '') filename = filenameIn(answer.headers['content-disposition'] ?? '') ?? filename;
    yield* answer.body;
  }
  return { filename: () => filename, body: body() };
}

async function download(
  address: URL,
  http: NodeServices['http'],
  signal: AbortSignal,
): Promise<EgressResponse> {
  const answer = await http.request({
    method: 'GET',
    url: address.href,
    headers: [],
    timeout_ms: TIMEOUT_MS,
    max_response_bytes: MOST_BYTES,
    follow_redirects: true,
    signal,
  });
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw await refused(address, answer);
}

async function refused({ host }: URL, { status, headers, body }: EgressResponse): Promise<NodeFailure> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MOST_WORDS) break;
  }
  const said = decodeBody(Buffer.concat(chunks), headers['content-type'] ?? '') ?? null;
  const { message } = createRefusal(host, { status, body: said }, { sign_in: null }).failure;
  return new NodeFailure({ kind: 'upstream', message, details: { status } });
}
