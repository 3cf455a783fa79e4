import { apiKey, bearerService, type CredentialType, required, url } from '@millrace/engine/credential';

export const gristCredential: CredentialType = {
  type: 'grist',
  title: 'Grist',
  group: 'productivity',
  ...bearerService({
    key: apiKey,
    address: url('server_url', 'Server URL', required),
    path: '/api',
  }),
  test: { path: '/orgs' },
};
