import {
  apiKey,
  bearer,
  type CredentialType,
  keyed,
  readBaseUrl,
  readConfigText,
  readFirst,
  required,
  url,
} from '@millrace/engine/credential';

/** https://api-dashboard.search.brave.com/documentation */
export const braveSearchCredential: CredentialType = {
  type: 'brave_search',
  title: 'Brave Search',
  group: 'http',
  icon: 'search',
  fields: [apiKey],
  ...keyed,
  connect: (config) => ({
    base_url: 'https://api.search.brave.com',
    headers: { 'x-subscription-token': readConfigText(config, 'api_key') },
  }),
  test: { path: '/res/v1/web/search?q=test&count=1' },
};

/** https://docs.tavily.com/documentation/api-reference/endpoint/search */
export const tavilyCredential: CredentialType = {
  type: 'tavily',
  title: 'Tavily',
  group: 'http',
  icon: 'search',
  fields: [apiKey],
  ...keyed,
  connect: (config) => ({
    base_url: 'https://api.tavily.com',
    headers: bearer(readConfigText(config, 'api_key')),
  }),
  test: { path: '/usage' },
};

/** https://docs.searxng.org/dev/search_api.html; the server must offer the format `json`. */
export const searxngCredential: CredentialType = {
  type: 'searxng',
  title: 'SearXNG',
  group: 'http',
  icon: 'search',
  fields: [url('base_url', 'Server URL', required)],
  masked: readFirst('base_url'),
  expression: readFirst('base_url'),
  public_fields: ['base_url'],
  connect: (config) => ({ base_url: readBaseUrl(config, 'base_url') }),
  test: { path: '/search?q=test&format=json' },
};

export const searchCredentials: readonly CredentialType[] = [
  braveSearchCredential,
  tavilyCredential,
  searxngCredential,
];
