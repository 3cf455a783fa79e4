import { type CredentialType, excluded, maskOf, required, secret, textOf } from '@millrace/engine/credential';

export const linearCredential: CredentialType = {
  type: 'linear',
  title: 'Linear issue tracker',
  group: 'developer',
  fields: [secret('api_key', 'API key', required)],
  masked: maskOf('api_key'),
  expression: excluded,
  keeps_blank: true,
  connect: (config) => ({
    base_url: 'https://api.linear.app',
    headers: { authorization: textOf(config, 'api_key') },
  }),
  test: { method: 'POST', path: '/graphql', body: { query: '{ viewer { id } }' } },
};
