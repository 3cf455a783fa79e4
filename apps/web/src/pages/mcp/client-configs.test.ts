import { describe, expect, it } from 'vitest';
import { CLIENTS, clientConfig, serverName } from './client-configs.ts';

const input = { name: 'millrace', url: 'https://flows.example/api/mcp', key: 'k1' };

describe('configurations of MCP clients', () => {
  it.each(CLIENTS)('%s gets address, name and key', (client) => {
    const { text, file } = clientConfig(client, input);
    for (const part of [input.name, input.url, 'X-MCP-Key', input.key]) expect(text).toContain(part);
    if (file !== undefined) expect(() => JSON.parse(text) as unknown).not.toThrow();
  });

  it('VS Code has its servers under another name than Cursor', () => {
    expect(JSON.parse(clientConfig('vs_code', input).text)).toEqual({
      servers: { millrace: { type: 'http', url: input.url, headers: { 'X-MCP-Key': 'k1' } } },
    });
    expect(JSON.parse(clientConfig('cursor', input).text)).toEqual({
      mcpServers: { millrace: { url: input.url, headers: { 'X-MCP-Key': 'k1' } } },
    });
  });

  it.each([
    [undefined, 'millrace'],
    ['Month-end Reports!', 'millrace-month-end-reports'],
    ['日本', 'millrace'],
    ['"; rm -rf ~', 'millrace-rm-rf'],
  ])('the name %s is safe to paste as %s', (name, expected) => {
    expect(serverName(name)).toBe(expected);
  });
});
