import { bearer, type CredentialType, maskOf, secret, text, textOf } from '@millrace/engine/credential';

/** https://developers.notion.com/reference/versioning */
const NOTION_VERSION = '2026-03-11';

export const notionCredential: CredentialType = {
  type: 'notion',
  title: 'Note-taking workspace',
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
    secret('access_token', 'Access token', { hidden: true }),
  ],
  masked: (config) =>
    config['auth_mode'] === 'oauth'
      ? textOf(config, 'access_token') === ''
        ? textOf(config, 'client_id')
        : 'connected'
      : maskOf('api_token')(config),
  expression: (config) =>
    config['auth_mode'] === 'oauth' ? textOf(config, 'access_token') : textOf(config, 'api_token'),
  keeps_blank: true,
  check: (config) => {
    const needed = config['auth_mode'] === 'oauth' ? ['client_id', 'client_secret'] : ['api_token'];
    const missing = needed.find((name) => textOf(config, name) === '');
    return missing === undefined ? undefined : { field: missing, message: 'is required for this sign-in' };
  },
  connect: (config) => {
    const token = textOf(config, config['auth_mode'] === 'oauth' ? 'access_token' : 'api_token');
    const headers = { ...bearer(token), 'notion-version': NOTION_VERSION };
    return token === '' ? undefined : { base_url: 'https://api.notion.com/v1', headers };
  },
  test: { path: '/users/me' },
};
