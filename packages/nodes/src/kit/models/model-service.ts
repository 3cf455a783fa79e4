import { NodeFailure } from '@millrace/engine';
import { type CredentialConfig, type CredentialType, collectSecrets } from '@millrace/engine/credential';
import type { ModelProvider, ModelService } from '@millrace/models';
import {
  anthropicCredential,
  customCredential,
  googleCredential,
  openaiCredential,
} from '../../llm/credential.ts';

const PROVIDERS: ReadonlyMap<string, { readonly type: CredentialType; readonly provider: ModelProvider }> =
  new Map([
    ['openai', { type: openaiCredential, provider: 'openai' }],
    ['anthropic', { type: anthropicCredential, provider: 'anthropic' }],
    ['google', { type: googleCredential, provider: 'google' }],
    ['custom', { type: customCredential, provider: 'compatible' }],
  ]);

/** How models of a type of credential are spoken to; undefined for types that open no model. */
export const findModelProvider = (type_name: string): ModelProvider | undefined =>
  PROVIDERS.get(type_name)?.provider;

/** The provider that a credential opens. Fails with kind `credential` when its type is none of a model, or incomplete. */
export function openModelService(type_name: string, config: CredentialConfig): ModelService {
  const known = PROVIDERS.get(type_name);
  const service = known?.type.connect?.(config);
  if (known && service) {
    const { type, provider } = known;
    return { provider, title: type.title, service, secrets: collectSecrets(type, config) };
  }
  throw new NodeFailure({
    kind: 'credential',
    message: known
      ? `The credential of type ${known.type.title} is incomplete; complete it on the credentials page`
      : `The credential is of type ${type_name}; choose one of a model`,
    field: 'credentialId',
    final: true,
  });
}
