import { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { NodeFailure } from '@millrace/engine';
import { type CredentialConfig, readConfigText } from '@millrace/engine/credential';
import { MEGABYTE } from '@millrace/engine/units';
import type { Egress } from '../services.ts';

const TIMEOUT_MS = 10 * 60_000;
const CLEANING_TIMEOUT_MS = 10_000;
const MOST_BYTES = 5 * 1024 * MEGABYTE;
const MOST_WORDS = 300;
const ATTEMPTS = 3;

interface Caller {
  readonly http: Egress;
  readonly signal: AbortSignal;
}

/** A signed request as the library hands it over. */
interface SignedRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>> | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** RFC 3986 section 2.3: everything but unreserved characters is escaped, as the signature has it. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

function buildRequestUrl({ protocol, hostname, port, path, query = {} }: SignedRequest): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    const values = Array.isArray(value) ? (value as readonly string[]) : [value as string | null];
    return values.map((one) => (one === null ? escaped(name) : `${escaped(name)}=${escaped(one)}`));
  });
  const search = pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  return `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}${search}`;
}

function toBodyField(body: unknown): { body?: string | Uint8Array } {
  if (body === undefined || body === null || body === '') return {};
  if (typeof body === 'string' || body instanceof Uint8Array) return { body };
  throw new TypeError('a body must be text or bytes');
}

/** Requests that remove the parts of an upload are sent after a cancellation too, for the parts would be paid for. */
const removesParts = ({ method, query = {} }: SignedRequest): boolean =>
  method === 'DELETE' && Object.hasOwn(query, 'uploadId');

/** The library signs; requests leave through the guarded way out. */
const transport = ({ http, signal }: Caller) => ({
  async handle(request: SignedRequest) {
    const { status, headers, body } = await http.request({
      method: request.method,
      url: buildRequestUrl(request),
      // Not signed, and the way out does not wait for a go-ahead.
      headers: Object.entries(request.headers).filter(([name]) => name.toLowerCase() !== 'expect'),
      ...toBodyField(request.body),
      timeout_ms: TIMEOUT_MS,
      max_response_bytes: MOST_BYTES,
      // A redirect leads to the endpoint of another region, for which the signature is wrong.
      follow_redirects: false,
      signal: removesParts(request) ? AbortSignal.timeout(CLEANING_TIMEOUT_MS) : signal,
    });
    return { response: { statusCode: status, headers, body: Readable.from(body, { objectMode: false }) } };
  },
  updateHttpClientConfig: () => undefined,
  httpHandlerConfigs: () => ({}),
});

async function connect(caller: Caller, config: CredentialConfig): Promise<S3Client> {
  const sdk = await import('@aws-sdk/client-s3');
  const endpoint = readConfigText(config, 'endpoint_url').replace(/\/+$/, '');
  const sessionToken = readConfigText(config, 'aws_session_token');
  const isPathStyle = config['path_style'] !== false && config['path_style'] !== 'false';
  return new sdk.S3Client({
    region: readConfigText(config, 'aws_region') || 'us-east-1',
    ...(endpoint === '' ? {} : { endpoint, forcePathStyle: isPathStyle }),
    credentials: {
      accessKeyId: readConfigText(config, 'aws_access_key_id'),
      secretAccessKey: readConfigText(config, 'aws_secret_access_key'),
      ...(sessionToken === '' ? {} : { sessionToken }),
    },
    // Servers that only speak the protocol do not all know the newer checksum headers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: ATTEMPTS,
    requestHandler: transport(caller),
  });
}

interface S3Error extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly Code?: string;
}

const REFUSED_KEY = new Set([
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'InvalidToken',
  'TokenRefreshRequired',
]);

/** https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
function s3Failure(error: unknown): NodeFailure {
  if (error instanceof NodeFailure) return error;
  const { name, message, $metadata } = error as S3Error;
  const status = $metadata?.httpStatusCode;
  const said = message === '' || message === 'UnknownError' ? '' : `: ${message.slice(0, MOST_WORDS)}`;
  const details = status === undefined ? {} : { details: { status, code: name } };
  if (REFUSED_KEY.has(name)) {
    const words = `The object storage refused the credential${said}`;
    return new NodeFailure(
      { kind: 'credential', message: words, field: 'credentialId', final: true, ...details },
      { cause: error },
    );
  }
  const meaning: Readonly<Record<string, string>> = {
    NoSuchBucket: 'The bucket does not exist',
    NoSuchKey: 'The object does not exist',
    NotFound: 'The object does not exist',
    AccessDenied: 'The credential does not allow this',
    BucketNotEmpty: 'The bucket is not empty',
    BucketAlreadyExists: 'The name of the bucket belongs to another account',
    PermanentRedirect: 'The bucket is in another region; change the region of the credential',
  };
  const words =
    meaning[name] ?? `The object storage answered with ${name}${status ? ` (status ${status})` : ''}`;
  const final = status !== undefined && status >= 400 && status < 500 && status !== 429;
  return new NodeFailure(
    { kind: 'upstream', message: words + said, ...(final ? { final } : {}), ...details },
    { cause: error },
  );
}

/** Does the work with a client whose requests leave through the guarded way out; failures are in plain words. */
export async function withS3<T>(
  caller: Caller,
  config: CredentialConfig,
  work: (client: S3Client) => Promise<T>,
): Promise<T> {
  const client = await connect(caller, config);
  try {
    return await work(client);
  } catch (error) {
    if (caller.signal.aborted) throw new NodeFailure({ kind: 'cancelled', message: 'The run was cancelled' });
    throw s3Failure(error);
  } finally {
    client.destroy();
  }
}

/** Lists buckets. A key that may not do this is a good one nevertheless. */
export async function testS3(caller: Caller, config: CredentialConfig): Promise<void> {
  await withS3(caller, config, async (client) => {
    const { ListBucketsCommand } = await import('@aws-sdk/client-s3');
    await client.send(new ListBucketsCommand({})).catch((error: unknown) => {
      if (error instanceof Error && error.name === 'AccessDenied') return;
      throw error;
    });
  });
}
