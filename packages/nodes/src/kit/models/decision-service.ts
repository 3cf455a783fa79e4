import { NodeFailure } from '@millrace/engine';
import { collectSecrets } from '@millrace/engine/credential';
import type { AskedService } from '@millrace/models';
import { decisionCredential } from '../../decision/credential.ts';
import type { Credential } from '../../services.ts';

/** The decision model that a credential opens. Fails with kind `credential` when it is of another type. */
export function openDecisionService({ type, values }: Pick<Credential, 'type' | 'values'>): AskedService {
  const service = type === decisionCredential.type ? decisionCredential.connect?.(values) : undefined;
  if (service) {
    const { title, type: provider } = decisionCredential;
    return { title, provider, service, secrets: collectSecrets(decisionCredential, values) };
  }
  throw new NodeFailure({
    kind: 'credential',
    message: `The credential is of type ${type}; choose one of a decision model`,
    field: 'credentialId',
    final: true,
  });
}
