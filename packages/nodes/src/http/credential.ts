import {
  type CredentialType,
  maskOf,
  required,
  secret,
  showNothing,
  text,
  textOf,
  valueOf,
} from '@millrace/engine/credential';

/** Name of an HTTP header (RFC 9110 §5.6.2). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export const bearerCredential: CredentialType = {
  type: 'bearer',
  title: 'Bearer token',
  group: 'http',
  fields: [secret('bearer_token', 'Token', required)],
  masked: showNothing,
  expression: valueOf('bearer_token'),
};

export const headerCredential: CredentialType = {
  type: 'header',
  title: 'Header',
  group: 'http',
  fields: [text('header_key', 'Header name'), secret('header_value', 'Header value', required)],
  masked: maskOf('header_value'),
  expression: (config) => {
    const key = textOf(config, 'header_key');
    return key === '' ? textOf(config, 'header_value') : `${key}: ${textOf(config, 'header_value')}`;
  },
  public_fields: ['header_key'],
  check: (config) => {
    const key = textOf(config, 'header_key');
    if (key !== '' && !HEADER_NAME.test(key)) {
      return { field: 'header_key', message: 'must be a header name such as X-Api-Key' };
    }
    return /[\r\n]/.test(textOf(config, 'header_value'))
      ? { field: 'header_value', message: 'must be one line' }
      : undefined;
  },
};
