import {
  type CredentialConfig,
  type CredentialField,
  type CredentialType,
  flag,
  maskOf,
  maskSecret,
  port,
  required,
  secret,
  showNothing,
  text,
  textOf,
  url,
  valueOf,
} from './define.ts';

const noExpression = () => '';

const qdrantFields: readonly CredentialField[] = [
  text('qdrant_host', 'Host', required),
  port('qdrant_port', 6333),
  secret('qdrant_api_key', 'Store API key'),
];
const embeddingKey = secret('openai_api_key', 'Embedding API key', required);

const oauthFields: readonly CredentialField[] = [
  text('client_id', 'Client ID', required),
  secret('client_secret', 'Client secret', required),
  secret('access_token', 'Access token', { hidden: true }),
  secret('refresh_token', 'Refresh token', { hidden: true }),
  text('token_expiry', 'Token expiry', { hidden: true }),
  text('scope', 'Scope', { hidden: true }),
];

const oauthClient = (type: string, title: string): CredentialType => ({
  type,
  title,
  group: 'productivity',
  fields: oauthFields,
  masked: (config) => (textOf(config, 'access_token') === '' ? textOf(config, 'client_id') : 'connected'),
  expression: noExpression,
});

const placeOf = (config: CredentialConfig, place: string, detail: string): string =>
  `${textOf(config, place)} (${textOf(config, detail)})`;

export const storeCredentials: readonly CredentialType[] = [
  {
    type: 'qdrant',
    title: 'Qdrant vector store',
    group: 'stores',
    fields: [...qdrantFields, embeddingKey],
    masked: maskOf('openai_api_key'),
    expression: noExpression,
    public_fields: ['qdrant_host', 'qdrant_port'],
  },
  {
    type: 'pgvector',
    title: 'PostgreSQL vector store',
    group: 'stores',
    fields: [
      secret('database_url', 'Database URL', { help: 'Unset: the database of this service' }),
      embeddingKey,
    ],
    masked: maskOf('openai_api_key'),
    expression: noExpression,
    keeps_blank: true,
  },
  {
    type: 'rag',
    title: 'Vector store with own embedding server',
    group: 'stores',
    fields: [
      embeddingKey,
      url('embedding_base_url', 'Embedding base URL'),
      text('embedding_model', 'Embedding model', { default: 'text-embedding-3-small' }),
      {
        name: 'embedding_dimensions',
        label: 'Embedding dimensions',
        kind: 'integer',
        default: 1536,
        max: 16_384,
      },
      { name: 'db_type', label: 'Store', kind: 'choice', options: ['qdrant', 'pgvector'], default: 'qdrant' },
      text('qdrant_host', 'Host'),
      port('qdrant_port', 6333),
      secret('qdrant_api_key', 'Store API key'),
    ],
    masked: maskOf('openai_api_key'),
    expression: noExpression,
    keeps_blank: true,
    check: (config) =>
      config['db_type'] === 'qdrant' && textOf(config, 'qdrant_host') === ''
        ? { field: 'qdrant_host', message: 'is required when the store is qdrant' }
        : undefined,
  },
  {
    type: 'supabase',
    title: 'Supabase',
    group: 'stores',
    fields: [
      url('supabase_url', 'Project URL', required),
      secret('supabase_key', 'Key', required),
      text('supabase_schema', 'Schema', { default: 'public' }),
    ],
    masked: (config) => placeOf(config, 'supabase_url', 'supabase_schema'),
    expression: noExpression,
    keeps_blank: true,
  },
  {
    type: 'clickhouse',
    title: 'ClickHouse',
    group: 'stores',
    fields: [
      text('host', 'Host', required),
      port('port', 8443),
      text('username', 'User name', { default: 'default' }),
      secret('password', 'Password'),
      text('database', 'Database', { default: 'default' }),
      flag('secure', 'Use TLS', true),
    ],
    masked: (config) => placeOf(config, 'host', 'database'),
    expression: noExpression,
    keeps_blank: true,
  },
  {
    type: 's3',
    title: 'Object storage',
    group: 'storage',
    fields: [
      text('aws_access_key_id', 'Access key', required),
      secret('aws_secret_access_key', 'Secret key', required),
      text('aws_region', 'Region', { default: 'us-east-1' }),
      secret('aws_session_token', 'Session token'),
      url('endpoint_url', 'Endpoint', { help: 'Of an S3-compatible server' }),
    ],
    masked: (config) =>
      `${maskSecret(textOf(config, 'aws_access_key_id'))} (${textOf(config, 'aws_region')})`,
    expression: noExpression,
  },
  {
    type: 'grist',
    title: 'Grist',
    group: 'productivity',
    fields: [secret('api_key', 'API key', required), url('server_url', 'Server URL', required)],
    masked: maskOf('api_key'),
    expression: valueOf('api_key'),
    public_fields: ['server_url'],
  },
  oauthClient('google_sheets', 'Google Sheets'),
  oauthClient('google_drive', 'Google Drive'),
  oauthClient('bigquery', 'BigQuery'),
  {
    type: 'postgres',
    title: 'PostgreSQL',
    group: 'stores',
    fields: [
      text('host', 'Host', required),
      port('port', 5432),
      text('database', 'Database', required),
      text('username', 'User name', required),
      secret('password', 'Password'),
      flag('use_tls', 'Use TLS', true),
    ],
    masked: showNothing,
    expression: noExpression,
    public_fields: ['host', 'database'],
    keeps_blank: true,
  },
];
