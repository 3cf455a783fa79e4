import {
  apiKey,
  bearer,
  type CredentialType,
  keyed,
  maskFirst,
  port,
  readConfigText,
  required,
  secret,
  text,
  url,
} from '@millrace/engine/credential';

const noExpression = () => '';

const embeddingKey = secret('openai_api_key', 'Embedding API key', required);

export const qdrantCredential: CredentialType = {
  type: 'qdrant',
  title: 'Qdrant vector store',
  group: 'stores',
  fields: [
    text('qdrant_host', 'Host', required),
    port('qdrant_port', 6333),
    secret('qdrant_api_key', 'Store API key'),
    embeddingKey,
  ],
  masked: maskFirst('openai_api_key'),
  expression: noExpression,
  public_fields: ['qdrant_host', 'qdrant_port'],
  connect: (config) => {
    const host = readConfigText(config, 'qdrant_host');
    const address = /^https?:\/\//i.test(host) ? host : `http://${host}`;
    const key = readConfigText(config, 'qdrant_api_key');
    return {
      base_url: `${address.replace(/\/+$/, '')}:${readConfigText(config, 'qdrant_port')}`,
      headers: key === '' ? {} : { 'api-key': key },
    };
  },
  test: { path: '/collections' },
};

export const pgvectorCredential: CredentialType = {
  type: 'pgvector',
  title: 'PostgreSQL vector store',
  group: 'stores',
  fields: [embeddingKey],
  masked: maskFirst('openai_api_key'),
  expression: noExpression,
  keeps_blank: true,
};

export const ragCredential: CredentialType = {
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
  masked: maskFirst('openai_api_key'),
  expression: noExpression,
  keeps_blank: true,
  check: (config) =>
    config['db_type'] === 'qdrant' && readConfigText(config, 'qdrant_host') === ''
      ? { field: 'qdrant_host', message: 'is required when the store is qdrant' }
      : undefined,
};

export const cohereCredential: CredentialType = {
  type: 'cohere',
  title: 'Cohere',
  group: 'models',
  fields: [apiKey],
  ...keyed,
  connect: (config) => ({
    base_url: 'https://api.cohere.com/v1',
    headers: bearer(readConfigText(config, 'api_key')),
  }),
  test: { path: '/models?page_size=1' },
};
