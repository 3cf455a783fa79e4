import { isJsonObject } from '@millrace/engine';
import {
  apiKey,
  bearer,
  type CredentialConfig,
  type CredentialType,
  keyed,
  readBaseUrl,
  readConfigText,
  required,
  secret,
  url,
} from '@millrace/engine/credential';

export const openaiCredential: CredentialType = {
  type: 'openai',
  title: 'OpenAI',
  group: 'models',
  fields: [apiKey],
  ...keyed,
  model: true,
  connect: (config) => ({
    base_url: 'https://api.openai.com/v1',
    headers: bearer(readConfigText(config, 'api_key')),
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
    headers: { 'x-goog-api-key': readConfigText(config, 'api_key') },
  }),
  test: { path: '/models?pageSize=1' },
};

/** The version of the API whose format is spoken (docs.anthropic.com/en/api/versioning). */
const ANTHROPIC_VERSION = '2023-06-01';

export const anthropicCredential: CredentialType = {
  type: 'anthropic',
  title: 'Anthropic',
  group: 'models',
  fields: [apiKey],
  ...keyed,
  model: true,
  connect: (config) => ({
    base_url: 'https://api.anthropic.com/v1',
    headers: { 'x-api-key': readConfigText(config, 'api_key'), 'anthropic-version': ANTHROPIC_VERSION },
  }),
  test: { path: '/models?limit=1' },
};

/** Shorter values are switches and names, which would be masked everywhere in a run. */
const SHORTEST_SECRET = 8;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const HEADER_VALUE = /^[\x20-\x7e\x80-\xff]*$/;

/** Header by name; undefined when the text is none. */
function furtherHeaders(config: CredentialConfig): Record<string, string> | undefined {
  const text = readConfigText(config, 'headers').trim();
  if (text === '') return {};
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(given)) return undefined;
  const isHeader = ([name, value]: [string, unknown]) =>
    HEADER_NAME.test(name) && typeof value === 'string' && HEADER_VALUE.test(value);
  return Object.entries(given).every(isHeader) ? (given as Record<string, string>) : undefined;
}

export const customCredential: CredentialType = {
  type: 'custom',
  title: 'OpenAI-compatible server',
  group: 'models',
  fields: [
    apiKey,
    url('base_url', 'Base URL', required),
    secret('headers', 'Further headers', {
      help: 'Sent with every call, as JSON: {"X-Tenant": "blue"}. They may replace the Authorization header.',
    }),
  ],
  ...keyed,
  public_fields: ['base_url'],
  model: true,
  check: (config) =>
    furtherHeaders(config)
      ? undefined
      : { field: 'headers', message: 'must be a JSON object of header names and texts' },
  secrets: (config) =>
    Object.values(furtherHeaders(config) ?? {}).filter((value) => value.length >= SHORTEST_SECRET),
  connect: (config) => {
    const base_url = readBaseUrl(config, 'base_url');
    if (base_url === '') return undefined;
    const further = Object.entries(furtherHeaders(config) ?? {}).map(([name, value]) => [
      name.toLowerCase(),
      value,
    ]);
    return {
      base_url,
      headers: { ...bearer(readConfigText(config, 'api_key')), ...Object.fromEntries(further) },
    };
  },
  test: { path: '/models' },
};
