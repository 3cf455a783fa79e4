import { type CredentialType, required, secret, text, textOf } from '@millrace/engine/credential';

/** A type whose tokens the service stores after a sign-in at the provider (OAuth 2). */
export const oauthClient = (type: string, title: string): CredentialType => ({
  type,
  title,
  group: 'productivity',
  fields: [
    text('client_id', 'Client ID', required),
    secret('client_secret', 'Client secret', required),
    secret('access_token', 'Access token', { hidden: true }),
    secret('refresh_token', 'Refresh token', { hidden: true }),
    text('token_expiry', 'Token expiry', { hidden: true }),
    text('scope', 'Scope', { hidden: true }),
  ],
  masked: (config) => (textOf(config, 'access_token') === '' ? textOf(config, 'client_id') : 'connected'),
  expression: () => '',
});
