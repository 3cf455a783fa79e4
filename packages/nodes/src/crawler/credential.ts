import { type CredentialType, readBaseUrl, readFirst, required, url } from '@millrace/engine/credential';

export const flaresolverrCredential: CredentialType = {
  type: 'flaresolverr',
  title: 'FlareSolverr',
  group: 'http',
  fields: [url('flaresolverr_url', 'URL', required)],
  masked: readFirst('flaresolverr_url'),
  expression: () => '',
  public_fields: ['flaresolverr_url'],
  // Many enter the address of the API, others that of the server.
  connect: (config) => ({ base_url: readBaseUrl(config, 'flaresolverr_url').replace(/\/v1$/, '') }),
  test: { path: '' },
};
