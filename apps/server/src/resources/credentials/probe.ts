import { NodeFailure } from '@millrace/engine';
import {
  type CredentialConfig,
  type CredentialType,
  mergeCredentialConfig,
} from '@millrace/engine/credential';
import { connections, type Egress, type EgressRequest } from '@millrace/nodes/runtime';
import { forbidden, invalidField } from '../../core/app-error.ts';
import type { Needs } from '../../execution/context.ts';
import { requireConfig, requireReadable, requireType, requireUsable } from './service.ts';
import { personalCaller, wordsOf } from './service-caller.ts';

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

export interface ProbeAnswer {
  readonly status: number;
  /** Parsed JSON; undefined when the body is none. */
  readonly json: unknown;
}

export type AskRequest = Pick<EgressRequest, 'url'> & {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | undefined;
};

/** One request through the guarded client. Redirects are not followed: a secret goes where its owner said. */
export async function ask(egress: Egress, request: AskRequest): Promise<ProbeAnswer> {
  const response = await egress.request({
    method: request.method ?? 'GET',
    url: request.url,
    headers: Object.entries({ accept: 'application/json', ...request.headers }),
    ...(request.body === undefined ? {} : { body: request.body }),
    timeout_ms: TIMEOUT_MS,
    max_response_bytes: MAX_ANSWER_BYTES,
    follow_redirects: false,
    signal: new AbortController().signal,
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    return { status: response.status, json: JSON.parse(text) };
  } catch {
    return { status: response.status, json: undefined };
  }
}

export interface TestOutcome {
  readonly success: boolean;
  readonly message: string;
}

function judge(
  { status, json }: ProbeAnswer,
  problem?: (answer: unknown) => string | undefined,
): TestOutcome {
  if (status === 401 || status === 403) return { success: false, message: 'The service refused the secret' };
  if (status >= 400 || status < 200) {
    return { success: false, message: `The service answered with status ${status}` };
  }
  const message = problem?.(json);
  return message === undefined
    ? { success: true, message: 'The service accepted it' }
    : { success: false, message };
}

interface TestInput {
  readonly type: string;
  readonly config?: Record<string, unknown> | undefined;
  readonly credential_id?: string | null | undefined;
}

/**
 * The configuration to try. A stored secret is combined with other fields for its owner only: a person who
 * chooses the address that a shared secret is sent to could read it.
 */
async function testedConfig(
  ctx: Needs<'db' | 'actor' | 'secrets'>,
  { type: name, config, credential_id }: TestInput,
): Promise<CredentialConfig> {
  const type = requireType(name);
  if (!credential_id) return requireConfig(type, config ?? {});
  const { credential, rank } = await requireUsable(ctx, credential_id);
  if (credential.type !== name)
    throw invalidField(['body', 'type'], `is not the type of the credential, ${credential.type}`);
  const stored = requireReadable(ctx, credential);
  if (!config || Object.keys(config).length === 0) return stored;
  if (rank !== 0) throw forbidden('Only the owner of the credential may test it with other settings');
  return requireConfig(type, mergeCredentialConfig(type, stored, config));
}

/** The call that tries a configuration; undefined when its type has none. */
function testRequest({ connect, test }: CredentialType, config: CredentialConfig): AskRequest | undefined {
  const service = test && connect?.(config);
  if (!service) return undefined;
  const json = test.body && { 'content-type': 'application/json' };
  return {
    method: test.method ?? 'GET',
    url: service.base_url + test.path,
    headers: { ...json, ...service.headers },
    body: test.body && JSON.stringify(test.body),
  };
}

export async function testCredential(
  ctx: Needs<'db' | 'actor' | 'secrets' | 'now'>,
  egress: Egress,
  input: TestInput,
): Promise<TestOutcome> {
  const config = await testedConfig(ctx, input);
  const type = requireType(input.type);
  const connection = connections.get(type.type);
  if (connection) return tried(connection(personalCaller(egress, { type, config }, ctx.now)), type, config);
  const request = testRequest(type, config);
  if (!request) {
    return {
      success: true,
      message: `The fields are complete; ${type.title} is tested when a run first uses it`,
    };
  }
  try {
    return judge(await ask(egress, request), type.problem);
  } catch (error) {
    if (error instanceof NodeFailure) return { success: false, message: wordsOf(error, type, config) };
    throw error;
  }
}

/** The outcome of a connection test that speaks another protocol than HTTP. */
async function tried(
  attempt: Promise<void>,
  type: CredentialType,
  config: CredentialConfig,
): Promise<TestOutcome> {
  try {
    await attempt;
    return { success: true, message: 'The service accepted it' };
  } catch (error) {
    if (error instanceof NodeFailure) return { success: false, message: wordsOf(error, type, config) };
    throw error;
  }
}
