/** The clients that the page has configurations for. */
export const CLIENTS = ['claude_code', 'cursor', 'vs_code', 'claude_desktop'] as const;
export type McpClient = (typeof CLIENTS)[number];

/** Placeholder for the key while none is at hand. */
export const KEY_PLACEHOLDER = 'YOUR_KEY';

export interface ClientConfig {
  /** Where the text goes; absent: into a terminal. */
  readonly file?: string;
  readonly text: string;
}

export interface ConfigInput {
  /** Name under which the client lists the server. */
  readonly name: string;
  readonly url: string;
  readonly key: string;
}

const json = (value: object): string => JSON.stringify(value, null, 2);

/** Clients take letters, digits, `-` and `_` in names. */
export function serverName(name: string | undefined): string {
  const plain = (name ?? '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return plain === '' ? 'millrace' : `millrace-${plain}`;
}

/**
 * The configuration that a person pastes to connect a client.
 *
 * Sources: code.claude.com/docs/en/mcp, cursor.com/docs/context/mcp,
 * code.visualstudio.com/docs/copilot/customization/mcp-servers; Claude Desktop starts local programs only, so it uses
 * `mcp-remote` (npmjs.com/package/mcp-remote).
 */
export function clientConfig(client: McpClient, { name, url, key }: ConfigInput): ClientConfig {
  const headers = { 'X-MCP-Key': key };
  switch (client) {
    case 'claude_code':
      return { text: `claude mcp add --transport http ${name} ${url} --header "X-MCP-Key: ${key}"` };
    case 'cursor':
      return { file: '~/.cursor/mcp.json', text: json({ mcpServers: { [name]: { url, headers } } }) };
    case 'vs_code':
      return {
        file: '.vscode/mcp.json',
        text: json({ servers: { [name]: { type: 'http', url, headers } } }),
      };
    case 'claude_desktop': {
      const args = ['-y', 'mcp-remote', url, '--header', `X-MCP-Key:${key}`];
      return {
        file: 'claude_desktop_config.json',
        text: json({ mcpServers: { [name]: { command: 'npx', args } } }),
      };
    }
    default:
      return client satisfies never;
  }
}
