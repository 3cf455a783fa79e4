import {
  type CredentialType,
  excluded,
  maskOf,
  required,
  secret,
  text,
  textOf,
  url,
  valueOf,
} from './define.ts';

export const developerCredentials: readonly CredentialType[] = [
  {
    type: 'github',
    title: 'Code hosting',
    group: 'developer',
    fields: [
      secret('api_key', 'Personal access token', required),
      url('base_url', 'Base URL', { help: 'Of your own server; empty keeps the stored one' }),
    ],
    masked: maskOf('api_key'),
    expression: valueOf('api_key'),
    public_fields: ['base_url'],
    keeps_blank: true,
  },
  {
    type: 'sentry',
    title: 'Error tracking',
    group: 'developer',
    fields: [secret('api_token', 'Auth token', required), url('base_url', 'Base URL')],
    masked: maskOf('api_token'),
    expression: valueOf('api_token'),
    public_fields: ['base_url'],
  },
  {
    type: 'jira',
    title: 'Jira issue tracker',
    group: 'developer',
    fields: [
      text('email', 'E-mail address'),
      secret('api_token', 'API token', required),
      url('base_url', 'Base URL', required),
      {
        name: 'deployment',
        label: 'Deployment',
        kind: 'choice',
        options: ['cloud', 'server'],
        default: 'cloud',
      },
      { name: 'api_version', label: 'API version', kind: 'choice', options: ['2', '3'], default: '3' },
    ],
    masked: maskOf('api_token'),
    expression: excluded,
    public_fields: ['base_url', 'email'],
    keeps_blank: true,
    check: (config) =>
      config['deployment'] === 'cloud' && textOf(config, 'email') === ''
        ? { field: 'email', message: 'is required when the deployment is cloud' }
        : undefined,
  },
  {
    type: 'linear',
    title: 'Linear issue tracker',
    group: 'developer',
    fields: [secret('api_key', 'API key', required)],
    masked: maskOf('api_key'),
    expression: excluded,
    keeps_blank: true,
  },
  {
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
  },
];
