import { bearerService, type CredentialType, required, secret, url } from '@millrace/engine/credential';

export const gristCredential: CredentialType = {
  type: 'grist',
  title: 'Grist',
  group: 'productivity',
  ...bearerService({
    key: secret('api_key', 'API key', required),
    address: url('server_url', 'Server URL', required),
    path: '/api',
  }),
  test: { path: '/orgs' },
};
