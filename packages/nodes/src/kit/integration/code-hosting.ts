import { bearerService, type CredentialType, required, secret, url } from '@millrace/engine/credential';

export const githubCredential: CredentialType = {
  type: 'github',
  title: 'Code hosting',
  group: 'developer',
  ...bearerService({
    key: secret('api_key', 'Personal access token', required),
    address: url('base_url', 'Base URL', { help: 'Of your own server; empty keeps the stored one' }),
    fallback: 'https://api.github.com',
    headers: { accept: 'application/vnd.github+json' },
  }),
  keeps_blank: true,
  test: { path: '/user' },
};
