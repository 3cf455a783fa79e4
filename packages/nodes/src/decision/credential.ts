import {
  baseOf,
  bearer,
  type CredentialType,
  keyed,
  required,
  secret,
  textOf,
  url,
} from '@millrace/engine/credential';

export const decisionCredential: CredentialType = {
  type: 'decision',
  title: 'Decision model',
  group: 'models',
  fields: [url('base_url', 'Base URL', required), secret('api_key', 'API key')],
  ...keyed,
  public_fields: ['base_url'],
  connect: (config) => {
    const base_url = baseOf(config, 'base_url');
    if (base_url === '') return undefined;
    const key = textOf(config, 'api_key');
    return { base_url, headers: key === '' ? {} : bearer(key) };
  },
};
