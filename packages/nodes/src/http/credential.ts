import {
  type CredentialType,
  maskFirst,
  oauthTokenFields,
  readConfigText,
  readFirst,
  required,
  secret,
  showNothing,
  text,
  url,
} from '@millrace/engine/credential';
import { maskedSignIn, SIGN_IN_FIELDS } from '../kit/integration/oauth-client.ts';

/** Name of an HTTP header (RFC 9110 §5.6.2). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export const bearerCredential: CredentialType = {
  type: 'bearer',
  title: 'Bearer token',
  group: 'http',
  fields: [secret('bearer_token', 'Token', required)],
  masked: showNothing,
  expression: readFirst('bearer_token'),
};

export const headerCredential: CredentialType = {
  type: 'header',
  title: 'Header',
  group: 'http',
  fields: [text('header_key', 'Header name'), secret('header_value', 'Header value', required)],
  masked: maskFirst('header_value'),
  expression: (config) => {
    const key = readConfigText(config, 'header_key');
    return key === ''
      ? readConfigText(config, 'header_value')
      : `${key}: ${readConfigText(config, 'header_value')}`;
  },
  public_fields: ['header_key'],
  check: (config) => {
    const key = readConfigText(config, 'header_key');
    if (key !== '' && !HEADER_NAME.test(key)) {
      return { field: 'header_key', message: 'must be a header name such as X-Api-Key' };
    }
    return /[\r\n]/.test(readConfigText(config, 'header_value'))
      ? { field: 'header_value', message: 'must be one line' }
      : undefined;
  },
};

/** A service that people sign in to with an own client and addresses that the owner gives. */
export const oauth2Credential: CredentialType = {
  type: 'oauth2',
  title: 'OAuth 2 sign-in',
  group: 'http',
  fields: [
    url('authorization_url', 'Authorization URL', required),
    url('token_url', 'Token URL', required),
    url('revocation_url', 'Revocation URL'),
    text('client_id', 'Client ID', required),
    secret('client_secret', 'Client secret', { help: 'Empty for clients without a secret.' }),
    text('scopes', 'Scopes', { help: 'Separated by spaces.' }),
    text('extra', 'Further parameters', {
      help: 'Sent with the sign-in, such as access_type=offline&prompt=consent.',
    }),
    {
      name: 'client_auth',
      label: 'The client proves itself by',
      kind: 'choice',
      options: ['basic', 'post'],
      default: 'basic',
      help: 'basic: the Authorization header. post: fields of the request.',
    },
    ...oauthTokenFields,
  ],
  masked: maskedSignIn,
  expression: (config) => readConfigText(config, 'access_token'),
  public_fields: [
    'authorization_url',
    'token_url',
    'revocation_url',
    'scopes',
    'extra',
    'client_auth',
    ...SIGN_IN_FIELDS,
  ],
  oauth: (config) => ({
    authorization_url: readConfigText(config, 'authorization_url'),
    token_url: readConfigText(config, 'token_url'),
    ...(readConfigText(config, 'revocation_url') === ''
      ? {}
      : { revocation_url: readConfigText(config, 'revocation_url') }),
    scopes: readConfigText(config, 'scopes').split(/\s+/).filter(Boolean),
    extra: Object.fromEntries(new URLSearchParams(readConfigText(config, 'extra'))),
    client_auth:
      readConfigText(config, 'client_secret') === ''
        ? 'none'
        : config['client_auth'] === 'post'
          ? 'post'
          : 'basic',
  }),
};
