import {
  bearer,
  type CredentialType,
  keyed,
  readBaseUrl,
  readConfigText,
  required,
  secret,
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
    const base_url = readBaseUrl(config, 'base_url');
    if (base_url === '') return undefined;
    const key = readConfigText(config, 'api_key');
    return { base_url, headers: key === '' ? {} : bearer(key) };
  },
};
