import { NodeFailure } from '@millrace/engine';
import {
  asksSignIn,
  type CredentialConfig,
  type CredentialType,
  mergeCredentialConfig,
  readConfigText,
} from '@millrace/engine/credential';
import { MEGABYTE } from '@millrace/engine/units';
import { readBytes } from '@millrace/nodes/read-bytes';
import { connections, type Egress, type EgressRequest } from '@millrace/nodes/runtime';
import { forbidden, invalidField } from '../../../core/app-error.ts';
import type { Needs } from '../../../services.ts';
import type { Renewals } from '../oauth/renewals.ts';
import { withTokens } from '../oauth/token-config.ts';
import { accountTokens, GrantEnded } from '../oauth/token-endpoint.ts';
import { requireConfig, requireReadable, requireType, requireUsable } from '../service.ts';
import { describeFailure, personalCaller, type ServiceAccess } from './service-caller.ts';

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 4 * MEGABYTE;

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
  const text = (await readBytes(response.body)).toString('utf8');
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

const ACCEPTED: TestOutcome = { success: true, message: 'The service accepted it' };

function judge(
  { status, json }: ProbeAnswer,
  problem?: (answer: unknown) => string | undefined,
): TestOutcome {
  if (status === 401 || status === 403) return { success: false, message: 'The service refused the secret' };
  if (status >= 400 || status < 200) {
    return { success: false, message: `The service answered with status ${status}` };
  }
  const message = problem?.(json);
  return message === undefined ? ACCEPTED : { success: false, message };
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
  renewals: Renewals,
  { type: name, config, credential_id }: TestInput,
): Promise<CredentialConfig> {
  const type = requireType(name);
  if (!credential_id) return requireConfig(type, config ?? {});
  const { credential, rank } = await requireUsable(ctx, credential_id);
  if (credential.type !== name)
    throw invalidField(['body', 'type'], `is not the type of the credential, ${credential.type}`);
  const stored = await renewals.fresh(credential, requireReadable(ctx, credential));
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

/** Whether a service account gets a token; its calls need nothing else of the configuration. */
async function withAccountToken(
  ctx: Needs<'now'>,
  egress: Egress,
  { type, config }: { type: CredentialType; config: CredentialConfig },
): Promise<CredentialConfig> {
  const account = type.service_account?.(config);
  if (!account) return config;
  try {
    return withTokens(config, await accountTokens({ egress, now: ctx.now, title: type.title }, account));
  } catch (error) {
    if (!(error instanceof GrantEnded)) throw error;
    const message = `${type.title} refused the service account: ${error.message}`;
    throw new NodeFailure({ kind: 'credential', message }, { cause: error });
  }
}

const NOT_CONNECTED: TestOutcome = {
  success: false,
  message: 'This credential is not connected yet: save it, then connect it',
};

async function tryConfig(
  ctx: Needs<'now'>,
  egress: Egress,
  { type, config: given }: { type: CredentialType; config: CredentialConfig },
): Promise<TestOutcome> {
  const config = await withAccountToken(ctx, egress, { type, config: given });
  if (asksSignIn(type, config) && readConfigText(config, 'access_token') === '') return NOT_CONNECTED;
  const connection = connections.get(type.type);
  if (connection) {
    await connection(personalCaller(egress, { type, config }, ctx.now));
    return ACCEPTED;
  }
  const request = testRequest(type, config);
  if (request) return judge(await ask(egress, request), type.problem);
  return {
    success: true,
    message: `The fields are complete; ${type.title} is tested when a run first uses it`,
  };
}

export async function testCredential(
  ctx: Needs<'db' | 'actor' | 'secrets' | 'now'>,
  { egress, renewals }: ServiceAccess,
  input: TestInput,
): Promise<TestOutcome> {
  const type = requireType(input.type);
  let config: CredentialConfig = input.config ?? {};
  try {
    config = await testedConfig(ctx, renewals, input);
    return await tryConfig(ctx, egress, { type, config });
  } catch (error) {
    if (error instanceof NodeFailure)
      return { success: false, message: describeFailure(error, type, config) };
    throw error;
  }
}
