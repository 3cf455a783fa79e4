import { type CredentialType, maskOf, required, secret, url, valueOf } from '@millrace/engine/credential';

export const decisionCredential: CredentialType = {
  type: 'decision',
  title: 'Decision model',
  group: 'models',
  fields: [url('base_url', 'Base URL', required), secret('api_key', 'API key')],
  masked: maskOf('api_key'),
  expression: valueOf('api_key'),
  public_fields: ['base_url'],
};
