import {
  type CredentialType,
  excluded,
  maskFirst,
  required,
  secret,
  text,
} from '@millrace/engine/credential';

export const codexCredential: CredentialType = {
  type: 'codex',
  title: 'Coding runner',
  brand: 'Codex',
  group: 'developer',
  fields: [
    secret('access_token', 'Access token', required),
    secret('refresh_token', 'Refresh token', { hidden: true }),
    text('token_expiry', 'Token expiry', { hidden: true }),
  ],
  masked: maskFirst('access_token'),
  expression: excluded,
};
