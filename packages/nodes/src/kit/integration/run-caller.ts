import { NodeFailure } from '@millrace/engine';
import { type CredentialConfig, type CredentialType, readConfigText } from '@millrace/engine/credential';
import type { NodeCall } from '../../implement.ts';
import { buildConnection, type Caller, type Connection } from './call-json.ts';

/** A limit that takes longer fails the node, which says when to try again. */
export const MAX_WAIT_MS = 60_000;

type Call = Pick<NodeCall, 'services' | 'signal' | 'idempotency_key'>;

/**
 * The run as the caller of a service.
 *
 * @param signal of one step, where that ends before the run does
 */
export function createCaller(call: Call, signal: AbortSignal = call.signal): Caller {
  const { services, idempotency_key } = call;
  return {
    http: services.http,
    now: () => services.now(),
    sleepUntil: (epoch_ms, ended) => services.sleepUntil(epoch_ms, ended),
    signal,
    max_wait_ms: MAX_WAIT_MS,
    idempotency_key,
  };
}

type WithCredential = { params: { readonly credentialId: string } } & Pick<NodeCall, 'services'>;

/**
 * The connection of a service that people sign in to: a token that the service refuses is renewed once. Fails with kind
 * `credential` before the first sign-in.
 */
export async function signedInConnection(
  call: WithCredential,
  title: string,
  type: CredentialType,
): Promise<Connection> {
  const config = await readCredential(call, type);
  if (type.connect?.(config) === undefined) {
    throw new NodeFailure({
      kind: 'credential',
      message: `This credential is not signed in to ${title} yet; connect it on the credentials page`,
      field: 'credentialId',
      final: true,
    });
  }
  return {
    ...buildConnection(title, type, config),
    renew: async () => {
      const refused = readConfigText(config, 'access_token');
      const { values } = await call.services.renewedCredential(call.params.credentialId, refused);
      return buildConnection(title, type, values).service;
    },
  };
}

/** The configuration of the credential that a node names. Fails with kind `credential` when it is of another type. */
export async function readCredential(
  { params, services }: WithCredential,
  ...accepted: readonly CredentialType[]
): Promise<CredentialConfig> {
  const { type, values } = await services.credential(params.credentialId);
  if (accepted.some((one) => one.type === type)) return values;
  throw new NodeFailure({
    kind: 'credential',
    message: `The credential is of type ${type}; choose one of type ${accepted.map((one) => one.type).join(' or ')}`,
    field: 'credentialId',
    final: true,
  });
}
