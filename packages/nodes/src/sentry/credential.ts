import { bearerService, type CredentialType, required, secret, url } from '@millrace/engine/credential';

export const sentryCredential: CredentialType = {
  type: 'sentry',
  title: 'Error tracking',
  brand: 'Sentry',
  group: 'developer',
  ...bearerService({
    key: secret('api_token', 'Auth token', required),
    address: url('base_url', 'Base URL'),
    fallback: 'https://sentry.io',
    path: '/api/0',
  }),
  test: { path: '/organizations/' },
};
