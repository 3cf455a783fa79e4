import { baseOf, type CredentialType, required, url, valueOf } from '@millrace/engine/credential';

export const flaresolverrCredential: CredentialType = {
  type: 'flaresolverr',
  title: 'FlareSolverr',
  group: 'http',
  fields: [url('flaresolverr_url', 'URL', required)],
  masked: valueOf('flaresolverr_url'),
  expression: () => '',
  public_fields: ['flaresolverr_url'],
  connect: (config) => ({ base_url: baseOf(config, 'flaresolverr_url') }),
  test: { path: '' },
};
