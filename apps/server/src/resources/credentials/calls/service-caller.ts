import type { NodeFailure } from '@millrace/engine';
import { type CredentialConfig, type CredentialType, collectSecrets } from '@millrace/engine/credential';
import type { ChoiceContext, Egress } from '@millrace/nodes/runtime';
import type { Renewals } from '../oauth/renewals.ts';

const TIMEOUT_MS = 15_000;

/** How services are reached outside of runs. */
export interface ServiceAccess {
  readonly egress: Egress;
  /** Keeps the tokens of sign-ins fresh. */
  readonly renewals: Renewals;
}

/**
 * A person as the caller of a service, outside of any run. Waits for limits of the service are not sat out: the person
 * is told and decides.
 */
export function personalCaller(
  egress: Egress,
  { type, config }: { type: CredentialType; config: CredentialConfig },
  now: () => number,
): ChoiceContext {
  return {
    type: type.type,
    config,
    caller: {
      http: egress,
      now,
      sleepUntil: () => Promise.resolve(),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      max_wait_ms: 0,
      idempotency_key: '',
    },
  };
}

/** Words of a service, which may repeat what they were sent. */
export function withoutSecrets(words: string, type: CredentialType, config: CredentialConfig): string {
  return collectSecrets(type, config).reduce((text, secret) => text.replaceAll(secret, '**'), words);
}

/** The message of a failed call for the person who waits for it; the end of the time is theirs too, not a cancelled run. */
export function describeFailure(
  { failure }: NodeFailure,
  type: CredentialType,
  config: CredentialConfig,
): string {
  if (failure.kind === 'cancelled') return `${type.title} did not answer within ${TIMEOUT_MS / 1000} s`;
  return withoutSecrets(failure.message, type, config);
}
