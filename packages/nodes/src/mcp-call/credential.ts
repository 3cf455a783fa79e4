import {
  type CredentialType,
  oauthTokenFields,
  readConfigText,
  required,
  secret,
  text,
  url,
} from '@millrace/engine/credential';
import { maskedSignIn, SIGN_IN_FIELDS } from '../kit/integration/oauth-client.ts';
import { discoveredFields, discoveredSignIn, signsIn } from '../kit/mcp/discovered.ts';

/** Name of an HTTP header (RFC 9110 §5.6.2). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const BY_TOKEN = { field: 'mcp_auth', is: 'token' } as const;
const BY_PERSON = { field: 'mcp_auth', is: 'oauth' } as const;

export const mcpCredential: CredentialType = {
  type: 'mcp',
  title: 'MCP server',
  group: 'developer',
  icon: 'plug',
  fields: [
    url('mcp_url', 'Server URL', required),
    {
      name: 'mcp_transport',
      label: 'Transport',
      kind: 'choice',
      options: ['streamable_http', 'sse'],
      default: 'streamable_http',
    },
    {
      name: 'mcp_auth',
      label: 'Sign-in',
      kind: 'choice',
      options: ['token', 'oauth'],
      default: 'token',
      help: 'token: a token or header below. oauth: you sign in at the server, which names the place itself.',
    },
    secret('mcp_token', 'Bearer token', { when: BY_TOKEN }),
    text('client_id', 'Client ID', {
      when: BY_PERSON,
      help: 'Only for servers where this service cannot register itself.',
    }),
    secret('client_secret', 'Client secret', { when: BY_PERSON }),
    text('scopes', 'Scopes', {
      when: BY_PERSON,
      help: 'Separated by spaces; empty for those that the server asks for.',
    }),
    text('mcp_header_key', 'Header name'),
    secret('mcp_header_value', 'Header value'),
    ...discoveredFields,
    ...oauthTokenFields,
  ],
  masked: (config) => (signsIn(config) ? maskedSignIn(config) : null),
  expression: () => '',
  public_fields: ['mcp_url', 'mcp_transport', 'mcp_auth', 'scopes', 'issuer', ...SIGN_IN_FIELDS],
  discovers: signsIn,
  oauth: discoveredSignIn,
  check: (config) => {
    const key = readConfigText(config, 'mcp_header_key');
    const value = readConfigText(config, 'mcp_header_value');
    if ((key === '') !== (value === '')) {
      return {
        field: key === '' ? 'mcp_header_key' : 'mcp_header_value',
        message: 'is required together with the other header field',
      };
    }
    if (key !== '' && !HEADER_NAME.test(key)) {
      return { field: 'mcp_header_key', message: 'must be a header name such as X-Api-Key' };
    }
    const broken = ['mcp_token', 'mcp_header_value'].find((name) =>
      /[\r\n]/.test(readConfigText(config, name)),
    );
    return broken === undefined ? undefined : { field: broken, message: 'must be one line' };
  },
};
