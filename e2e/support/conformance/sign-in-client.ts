// The sign-in of MCP credentials for the official conformance suite, which starts it with the address of its own server. A
// person connects a credential at a running service (`CONFORMANCE_SERVICE`), and a workflow calls the tools.
import assert from 'node:assert/strict';

const mcp_url = process.argv.at(-1) ?? '';
/** Where the service is, and the access token of the person. */
const { base, access_token } = JSON.parse(process.env['CONFORMANCE_SERVICE'] ?? '{}') as {
  base: string;
  access_token: string;
};
/** The data that the suite gives a client that is registered by hand. */
const { client_id, client_secret } = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
  client_id?: string;
  client_secret?: string;
};

async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert(response.ok, `${method} ${path}: ${response.status} ${text}`);
  const isJson = response.headers.get('content-type')?.includes('json');
  return (isJson ? JSON.parse(text) : text) as Answer;
}

const config = { mcp_url, mcp_auth: 'oauth', client_id, client_secret };
const { id: credential_id } = await call<{ id: string }>('POST', '/api/credentials', {
  name: mcp_url,
  type: 'mcp',
  config,
});

/** Acts as the person in the browser, at an authorization server that allows everything. */
async function signIn(): Promise<void> {
  const { auth_url } = await call<{ auth_url: string }>('POST', '/api/credentials/mcp/oauth/authorize', {
    credential_id,
  });
  const allowed = await fetch(auth_url, { redirect: 'manual' });
  const { pathname, search } = new URL(allowed.headers.get('location') ?? '');
  await call('GET', `${pathname}${search}`);
}

/** The answer of a run whose call of the tool failed, as JSON; null when the tool answered. */
async function findFailure(tool: string): Promise<string | null> {
  const node = (id: string, type: string, data = {}) => ({
    id,
    type,
    position: { x: 0, y: 0 },
    data: { label: id, ...data },
  });
  const { id } = await call<{ id: string }>('POST', '/api/workflows', {
    name: tool,
    nodes: [
      node('start', 'textInput'),
      node('ask', 'mcpCall', { credentialId: credential_id, selectedTool: tool }),
    ],
    edges: [{ id: 'edge', source: 'start', target: 'ask' }],
  });
  const answer = await call<{ status: string }>('POST', `/api/workflows/${id}/execute`, {});
  return answer.status === 'success' ? null : JSON.stringify(answer);
}

await signIn();
const connection = { credential_id };
const { tools } = await call<{ tools: readonly { name: string }[] }>('POST', '/api/mcp/fetch-tools', {
  connection,
});
for (const { name } of tools) {
  const failure = await findFailure(name);
  const scopes = /requires the scopes \\"([^"\\]+)/.exec(failure ?? '')?.[1];
  if (failure === null) continue;
  assert(scopes !== undefined, failure);
  // The person does what the message says.
  await call('PUT', `/api/credentials/${credential_id}`, { config: { ...config, scopes } });
  await signIn();
  assert.equal(await findFailure(name), null);
}
