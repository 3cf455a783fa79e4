import {
  apiKey,
  type CredentialType,
  keyed,
  readBaseUrl,
  readConfigText,
  url,
} from '@millrace/engine/credential';

export const youcomCredential: CredentialType = {
  type: 'youcom',
  title: 'Web search',
  brand: 'You.com',
  group: 'developer',
  fields: [apiKey, url('base_url', 'Base URL')],
  ...keyed,
  public_fields: ['base_url'],
  connect: (config) => ({
    base_url: readBaseUrl(config, 'base_url', 'https://ydc-index.io'),
    headers: { 'x-api-key': readConfigText(config, 'api_key') },
  }),
  test: { path: '/v1/search?query=weather&count=1' },
};
