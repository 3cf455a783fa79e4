import {
  type CredentialType,
  excluded,
  maskOf,
  required,
  secret,
  showNothing,
  text,
  url,
  valueOf,
} from './define.ts';

const apiKey = secret('api_key', 'API key', required);
const keyed = { masked: maskOf('api_key'), expression: valueOf('api_key') };

export const modelCredentials: readonly CredentialType[] = [
  { type: 'openai', title: 'OpenAI', group: 'models', fields: [apiKey], ...keyed, model: true },
  { type: 'google', title: 'Google AI', group: 'models', fields: [apiKey], ...keyed, model: true },
  {
    type: 'custom',
    title: 'OpenAI-compatible server',
    group: 'models',
    fields: [apiKey, url('base_url', 'Base URL', required)],
    ...keyed,
    public_fields: ['base_url'],
    model: true,
  },
  { type: 'cohere', title: 'Cohere', group: 'models', fields: [apiKey], ...keyed },
  { type: 'elevenlabs', title: 'ElevenLabs', group: 'models', fields: [apiKey], ...keyed },
  {
    type: 'decision',
    title: 'Decision model',
    group: 'models',
    fields: [url('base_url', 'Base URL', required), secret('api_key', 'API key')],
    ...keyed,
    public_fields: ['base_url'],
  },
  {
    type: 'model_router',
    title: 'Model router',
    group: 'models',
    fields: [
      text('decision_credential_id', 'Decision model credential', required),
      text('decision_model', 'Decision model', required),
      text('routing_instructions', 'Routing instructions'),
      { name: 'options', label: 'Options', kind: 'list', required: true },
      { name: 'timeout_seconds', label: 'Timeout in seconds', kind: 'integer', default: 10, max: 300 },
    ],
    masked: showNothing,
    expression: () => '',
    public_fields: ['decision_model', 'option_count'],
  },
  {
    type: 'codex',
    title: 'Coding runner',
    group: 'developer',
    fields: [
      secret('access_token', 'Access token', required),
      secret('refresh_token', 'Refresh token', { hidden: true }),
      text('token_expiry', 'Token expiry', { hidden: true }),
    ],
    masked: maskOf('access_token'),
    expression: excluded,
  },
  {
    type: 'opencode',
    title: 'Coding runner with an API key',
    group: 'developer',
    fields: [apiKey, url('base_url', 'Base URL')],
    masked: maskOf('api_key'),
    expression: excluded,
    public_fields: ['base_url'],
  },
];
