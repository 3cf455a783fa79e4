import {
  bearer,
  type CredentialType,
  excluded,
  maskFirst,
  readBaseUrl,
  readConfigText,
  required,
  secret,
  text,
  url,
} from '@millrace/engine/credential';
import { basic } from '../kit/integration/basic-auth.ts';

export const jiraCredential: CredentialType = {
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
  masked: maskFirst('api_token'),
  expression: excluded,
  public_fields: ['base_url', 'email'],
  keeps_blank: true,
  check: (config) =>
    config['deployment'] === 'cloud' && readConfigText(config, 'email') === ''
      ? { field: 'email', message: 'is required when the deployment is cloud' }
      : undefined,
  connect: (config) => ({
    // Servers of one's own have no version 3.
    base_url: `${readBaseUrl(config, 'base_url')}/rest/api/${config['deployment'] === 'server' ? '2' : readConfigText(config, 'api_version') || '3'}`,
    headers:
      config['deployment'] === 'server'
        ? bearer(readConfigText(config, 'api_token'))
        : basic(readConfigText(config, 'email'), readConfigText(config, 'api_token')),
  }),
  test: { path: '/myself' },
};
