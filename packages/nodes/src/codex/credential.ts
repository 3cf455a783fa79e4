import {
  type CredentialConfig,
  type CredentialType,
  excluded,
  maskFirst,
  type OauthSignIn,
  oauthTokenFields,
  required,
  secret,
} from '@millrace/engine/credential';
import { maskedSignIn } from '../kit/integration/oauth-client.ts';

/**
 * The client of the command line itself, because the provider registers no others: it always comes back to the computer of
 * the person. https://developers.openai.com/codex/auth
 */
const SIGN_IN: OauthSignIn = {
  authorization_url: 'https://auth.openai.com/oauth/authorize',
  token_url: 'https://auth.openai.com/oauth/token',
  scopes: ['openid', 'profile', 'email', 'offline_access'],
  extra: { id_token_add_organizations: 'true', codex_cli_simplified_flow: 'true' },
  client_auth: 'none',
  client: { client_id: 'app_EMoamEEZ73f0CkXaXp7hrann', client_secret: '' },
  redirect_uri: 'http://localhost:1455/auth/callback',
  keeps_identity: true,
};

/** Whether a person signs in with their account, in place of a token that they enter. */
export const signsIn = (config: CredentialConfig): boolean => config['auth_mode'] === 'chatgpt';

export const codexCredential: CredentialType = {
  type: 'codex',
  title: 'Coding runner',
  brand: 'Codex',
  group: 'developer',
  fields: [
    {
      name: 'auth_mode',
      label: 'Sign-in',
      kind: 'choice',
      options: ['access_token', 'chatgpt'],
      default: 'access_token',
      help: 'access_token: an access token or an API key below. chatgpt: you sign in with your ChatGPT account.',
    },
    secret('access_token', 'Access token', {
      ...required,
      when: { field: 'auth_mode', is: 'access_token' },
    }),
    ...oauthTokenFields.filter(({ name }) => name !== 'access_token'),
  ],
  masked: (config) => (signsIn(config) ? maskedSignIn(config) || null : maskFirst('access_token')(config)),
  expression: excluded,
  public_fields: ['auth_mode', 'account', 'connection'],
  oauth: (config) => (signsIn(config) ? SIGN_IN : undefined),
};
