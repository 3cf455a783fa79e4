import {
  bearer,
  bearerService,
  type CredentialType,
  maskOf,
  required,
  secret,
  textOf,
  url,
  valueOf,
} from '@millrace/engine/credential';

const apiKey = secret('api_key', 'API key', required);
const keyed = { masked: maskOf('api_key'), expression: valueOf('api_key') };

export const openaiCredential: CredentialType = {
  type: 'openai',
  title: 'OpenAI',
  group: 'models',
  fields: [apiKey],
  ...keyed,
  model: true,
  connect: (config) => ({
    base_url: 'https://api.openai.com/v1',
    headers: bearer(textOf(config, 'api_key')),
  }),
  test: { path: '/models' },
};

export const googleCredential: CredentialType = {
  type: 'google',
  title: 'Google AI',
  group: 'models',
  fields: [apiKey],
  ...keyed,
  model: true,
  connect: (config) => ({
    base_url: 'https://generativelanguage.googleapis.com/v1beta',
    headers: { 'x-goog-api-key': textOf(config, 'api_key') },
  }),
  test: { path: '/models?pageSize=1' },
};

export const customCredential: CredentialType = {
  type: 'custom',
  title: 'OpenAI-compatible server',
  group: 'models',
  ...bearerService({ key: apiKey, address: url('base_url', 'Base URL', required) }),
  model: true,
  test: { path: '/models' },
};
