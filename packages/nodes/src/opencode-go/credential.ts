import { apiKey, bearerService, type CredentialType, excluded, url } from '@millrace/engine/credential';

export const opencodeCredential: CredentialType = {
  type: 'opencode',
  title: 'Coding runner with an API key',
  brand: 'OpenCode',
  group: 'developer',
  ...bearerService({
    key: apiKey,
    address: url('base_url', 'Base URL'),
  }),
  expression: excluded,
  test: { path: '/models' },
};
