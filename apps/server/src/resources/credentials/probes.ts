import { type CredentialConfig, textOf } from '@millrace/contracts';

/** One harmless authenticated request that tells whether a credential works. */
export interface Probe {
  readonly method?: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Some services answer 200 with an error inside; the returned sentence fails the test. */
  readonly problem?: (answer: unknown) => string | undefined;
}

type BuildProbe = (config: CredentialConfig) => Probe | undefined;

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

/** Base without slashes at its end, so that paths can be appended. */
export const baseOf = (config: CredentialConfig, name: string, fallback = ''): string =>
  (textOf(config, name) || fallback).replace(/\/+$/, '');

const NOTION_VERSION = '2022-06-28';

const okField =
  (name: string) =>
  (answer: unknown): string | undefined => {
    const { [name]: ok, error } = (answer ?? {}) as Record<string, unknown>;
    if (ok === true) return undefined;
    return typeof error === 'string' ? `The service refused it: ${error}` : 'The service refused it';
  };

/** By credential type. Types without a probe are checked when they are used. */
export const probes: Readonly<Record<string, BuildProbe>> = {
  openai: (config) => ({
    url: 'https://api.openai.com/v1/models',
    headers: bearer(textOf(config, 'api_key')),
  }),
  google: (config) => ({
    url: 'https://generativelanguage.googleapis.com/v1beta/models?pageSize=1',
    headers: { 'x-goog-api-key': textOf(config, 'api_key') },
  }),
  custom: (config) => ({
    url: `${baseOf(config, 'base_url')}/models`,
    headers: bearer(textOf(config, 'api_key')),
  }),
  opencode: (config) =>
    textOf(config, 'base_url') === ''
      ? undefined
      : { url: `${baseOf(config, 'base_url')}/models`, headers: bearer(textOf(config, 'api_key')) },
  cohere: (config) => ({
    url: 'https://api.cohere.com/v1/models?page_size=1',
    headers: bearer(textOf(config, 'api_key')),
  }),
  elevenlabs: (config) => ({
    url: 'https://api.elevenlabs.io/v1/user',
    headers: { 'xi-api-key': textOf(config, 'api_key') },
  }),
  telegram: (config) => ({
    url: `https://api.telegram.org/bot${encodeURIComponent(textOf(config, 'bot_token'))}/getMe`,
    problem: okField('ok'),
  }),
  slack: (config) =>
    textOf(config, 'api_token') === ''
      ? undefined
      : {
          method: 'POST',
          url: 'https://slack.com/api/auth.test',
          headers: bearer(textOf(config, 'api_token')),
          problem: okField('ok'),
        },
  discord: (config) => ({ url: textOf(config, 'webhook_url') }),
  github: (config) => ({
    url: `${baseOf(config, 'base_url', 'https://api.github.com')}/user`,
    headers: { ...bearer(textOf(config, 'api_key')), accept: 'application/vnd.github+json' },
  }),
  sentry: (config) => ({
    url: `${baseOf(config, 'base_url', 'https://sentry.io')}/api/0/organizations/`,
    headers: bearer(textOf(config, 'api_token')),
  }),
  jira: (config) => ({
    url: `${baseOf(config, 'base_url')}/rest/api/${textOf(config, 'api_version') || '3'}/myself`,
    headers:
      config['deployment'] === 'server'
        ? bearer(textOf(config, 'api_token'))
        : basic(textOf(config, 'email'), textOf(config, 'api_token')),
  }),
  linear: (config) => ({
    method: 'POST',
    url: 'https://api.linear.app/graphql',
    headers: { authorization: textOf(config, 'api_key'), 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ viewer { id } }' }),
  }),
  notion: (config) => {
    const token = textOf(config, config['auth_mode'] === 'oauth' ? 'access_token' : 'api_token');
    const headers = { ...bearer(token), 'notion-version': NOTION_VERSION };
    return token === '' ? undefined : { url: 'https://api.notion.com/v1/users/me', headers };
  },
  grist: (config) => ({
    url: `${baseOf(config, 'server_url')}/api/orgs`,
    headers: bearer(textOf(config, 'api_key')),
  }),
  supabase: (config) => ({
    url: `${baseOf(config, 'supabase_url')}/rest/v1/`,
    headers: { ...bearer(textOf(config, 'supabase_key')), apikey: textOf(config, 'supabase_key') },
  }),
  clickhouse: (config) => ({
    url: `${config['secure'] === false ? 'http' : 'https'}://${textOf(config, 'host')}:${textOf(config, 'port')}/?query=SELECT%201`,
    headers: {
      'x-clickhouse-user': textOf(config, 'username'),
      'x-clickhouse-key': textOf(config, 'password'),
    },
  }),
  qdrant: (config) => {
    const host = textOf(config, 'qdrant_host');
    const address = /^https?:\/\//i.test(host) ? host : `http://${host}`;
    const key = textOf(config, 'qdrant_api_key');
    const url = `${address.replace(/\/+$/, '')}:${textOf(config, 'qdrant_port')}/collections`;
    return { url, headers: key === '' ? {} : { 'api-key': key } };
  },
  flaresolverr: (config) => ({ url: baseOf(config, 'flaresolverr_url') }),
};
