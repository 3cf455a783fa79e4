import {
  bearer,
  type CredentialConfig,
  type CredentialType,
  maskFirst,
  type OauthSignIn,
  oauthTokenFields,
  readConfigText,
  secret,
  text,
} from '@millrace/engine/credential';
import { maskedSignIn, SIGN_IN_FIELDS } from '../kit/integration/oauth-client.ts';

/** https://developers.notion.com/reference/versioning */
const NOTION_VERSION = '2026-03-11';

/** https://developers.notion.com/docs/authorization */
const SIGN_IN: OauthSignIn = {
  authorization_url: 'https://api.notion.com/v1/oauth/authorize',
  token_url: 'https://api.notion.com/v1/oauth/token',
  // Permissions are set where the client is registered.
  scopes: [],
  extra: { owner: 'user' },
  client_auth: 'basic',
};

const signsIn = (config: CredentialConfig): boolean => config['auth_mode'] === 'oauth';

export const notionCredential: CredentialType = {
  type: 'notion',
  title: 'Note-taking workspace',
  brand: 'Notion',
  group: 'productivity',
  fields: [
    {
      name: 'auth_mode',
      label: 'Sign-in',
      kind: 'choice',
      options: ['internal', 'oauth'],
      default: 'internal',
    },
    secret('api_token', 'Internal token'),
    text('client_id', 'Client ID'),
    secret('client_secret', 'Client secret'),
    ...oauthTokenFields,
  ],
  masked: (config) => (signsIn(config) ? maskedSignIn(config) : maskFirst('api_token')(config)),
  expression: (config) =>
    signsIn(config) ? readConfigText(config, 'access_token') : readConfigText(config, 'api_token'),
  keeps_blank: true,
  public_fields: ['auth_mode', ...SIGN_IN_FIELDS],
  oauth: (config) => (signsIn(config) ? SIGN_IN : undefined),
  check: (config) => {
    const needed = signsIn(config) ? ['client_id', 'client_secret'] : ['api_token'];
    const missing = needed.find((name) => readConfigText(config, name) === '');
    return missing === undefined ? undefined : { field: missing, message: 'is required for this sign-in' };
  },
  connect: (config) => {
    const token = readConfigText(config, signsIn(config) ? 'access_token' : 'api_token');
    const headers = { ...bearer(token), 'notion-version': NOTION_VERSION };
    return token === '' ? undefined : { base_url: 'https://api.notion.com/v1', headers };
  },
  test: { path: '/users/me' },
};
