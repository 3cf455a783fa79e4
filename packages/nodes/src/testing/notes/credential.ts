import { bearerService, type CredentialType, required, secret, url } from '@millrace/engine/credential';

export const notesCredential: CredentialType = {
  type: 'notes',
  title: 'Notes server',
  group: 'productivity',
  ...bearerService({
    key: secret('token', 'Token', required),
    address: url('base_url', 'Server URL', required),
    path: '/api',
  }),
  test: { path: '/me' },
};
