import {
  type CredentialType,
  required,
  secret,
  showNothing,
  text,
  textOf,
  url,
} from '@millrace/engine/credential';

/** Name of an HTTP header (RFC 9110 §5.6.2). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

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
    secret('mcp_token', 'Bearer token'),
    text('mcp_header_key', 'Header name'),
    secret('mcp_header_value', 'Header value'),
  ],
  masked: showNothing,
  expression: () => '',
  public_fields: ['mcp_url', 'mcp_transport'],
  check: (config) => {
    const key = textOf(config, 'mcp_header_key');
    const value = textOf(config, 'mcp_header_value');
    if ((key === '') !== (value === '')) {
      return {
        field: key === '' ? 'mcp_header_key' : 'mcp_header_value',
        message: 'is required together with the other header field',
      };
    }
    if (key !== '' && !HEADER_NAME.test(key)) {
      return { field: 'mcp_header_key', message: 'must be a header name such as X-Api-Key' };
    }
    const broken = ['mcp_token', 'mcp_header_value'].find((name) => /[\r\n]/.test(textOf(config, name)));
    return broken === undefined ? undefined : { field: broken, message: 'must be one line' };
  },
};
