const MCP_PATH = '/api/mcp';

/** Path of a server, and of the resource that its grants are for (RFC 8707); null is the default one. */
export const mcpPath = (server_id: string | null): string =>
  server_id === null ? MCP_PATH : `${MCP_PATH}/servers/${server_id}`;

/** @param base_url where clients reach the service, without a slash at the end */
export const mcpAddresses = (base_url: string, server_id: string | null) => ({
  mcp_url: `${base_url}${mcpPath(server_id)}${server_id === null ? '' : '/mcp'}`,
  mcp_endpoint_url: `${base_url}${mcpPath(server_id)}/sse`,
});
