/** Talks to a running server as a person would: registers, makes workflows, calls them. */
export interface BenchClient {
  /** Creates an anonymous workflow with the graph; returns its execute address. */
  workflow(content: { nodes: unknown[]; edges: unknown[] }, settings?: object): Promise<string>;
  /** Stores the credential of a provider of models; returns its id. */
  modelCredential(base_url: string): Promise<string>;
  /** A key of the person's MCP server. */
  mcpKey(): Promise<string>;
  /** Stores as many credentials, whose values are hidden in every run of this person. */
  credentials(count: number): Promise<void>;
  /** Runs of this person's workflows that ended well and are stored. */
  finishedRuns(): Promise<number>;
}

async function send(
  url: string,
  method: string,
  body: unknown,
  token?: string,
): Promise<Record<string, unknown>> {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>;
}

export async function signUp(base: string): Promise<BenchClient> {
  const email = `bench-${Date.now()}-${Math.random().toString(36).slice(2)}@example.com`;
  const session = await send(`${base}/api/auth/register`, 'POST', {
    email,
    password: 'Passw0rd!',
    name: 'Bench',
  });
  const token = String(session['access_token']);
  return {
    async workflow(content, settings = {}) {
      const created = await send(`${base}/api/workflows`, 'POST', { name: 'Bench' }, token);
      const id = String(created['id']);
      await send(
        `${base}/api/workflows/${id}`,
        'PUT',
        { ...content, auth_type: 'anonymous', ...settings },
        token,
      );
      return `${base}/api/workflows/${id}/execute`;
    },
    async modelCredential(base_url) {
      const credential = { name: 'Model', type: 'custom', config: { api_key: 'bench-model-key', base_url } };
      return String((await send(`${base}/api/credentials`, 'POST', credential, token))['id']);
    },
    mcpKey: async () =>
      String((await send(`${base}/api/mcp/regenerate-key`, 'POST', {}, token))['mcp_api_key']),
    async credentials(count) {
      for (let at = 0; at < count; at++) {
        const config = { bearer_token: `bench-secret-${at}-${Math.random().toString(36).slice(2)}` };
        const credential = { name: `Bench ${at}`, type: 'bearer', config };
        await send(`${base}/api/credentials`, 'POST', credential, token);
      }
    },
    async finishedRuns() {
      const url = `${base}/api/analytics/stats?time_range=all`;
      const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      return ((await answer.json()) as { success_count: number }).success_count;
    },
  };
}

const node = (id: string, type: string, data: Record<string, unknown> = {}) => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data: { label: id, ...data },
});

/** textInput, `count` set nodes in a row, output. */
export function chain(count: number): { nodes: unknown[]; edges: unknown[] } {
  const sets = Array.from({ length: count }, (_, at) =>
    node(`set${at}`, 'set', { mappings: [{ key: 'text', value: '$start.text' }] }),
  );
  const nodes = [node('start', 'textInput'), ...sets, node('out', 'output', { message: '$start.text' })];
  const edges = nodes
    .slice(1)
    .map((target, at) => ({ id: `e${at}`, source: nodes[at]?.id, target: target.id }));
  return { nodes, edges };
}

/** textInput, wait, output. */
export function waiting(duration: number): { nodes: unknown[]; edges: unknown[] } {
  const nodes = [node('start', 'textInput'), node('pause', 'wait', { duration }), node('out', 'output')];
  const edges = nodes
    .slice(1)
    .map((target, at) => ({ id: `e${at}`, source: nodes[at]?.id, target: target.id }));
  return { nodes, edges };
}

/** textInput, `count` POST requests in a row that may not be repeated, output. */
export function requests(count: number, url: string): Content {
  const { nodes, edges } = chain(count) as { nodes: { type: string; data: object }[]; edges: unknown[] };
  const data = {
    curl: `curl -X POST ${url} -H "Content-Type: application/json" -d '{}'`,
    failOnErrorStatus: true,
  };
  return {
    nodes: nodes.map((one) =>
      one.type === 'set' ? { ...one, type: 'http', data: { ...one.data, ...data } } : one,
    ),
    edges,
  };
}

interface Content {
  nodes: unknown[];
  edges: unknown[];
}

/** The same graph with a webhook node of that id in place of its start. */
export function startedByWebhook(content: Content, id: string): Content {
  const { nodes, edges } = content as { nodes: { id: string }[]; edges: { source: string }[] };
  const start = { ...node(id, 'webhookTrigger'), data: { label: 'start' } };
  return {
    nodes: [start, ...nodes.slice(1)],
    edges: edges.map((edge) => (edge.source === 'start' ? { ...edge, source: id } : edge)),
  };
}

const between = (middle: ReturnType<typeof node>, message: string): Content => ({
  nodes: [node('start', 'textInput'), middle, node('out', 'output', { message })],
  edges: [
    { id: 'in', source: 'start', target: middle.id },
    { id: 'done', source: middle.id, target: 'out' },
  ],
});

/** textInput, one call of a model, output. */
export const language = (data: Record<string, unknown>): Content =>
  between(node('ask', 'llm', { userMessage: '$start.text', ...data }), '$ask.text');

/** textInput, an agent with one tool, output. */
export function agent(data: Record<string, unknown>): Content {
  const { nodes, edges } = between(
    node('lead', 'agent', { userMessage: '$start.text', ...data }),
    '$lead.text',
  );
  const tool = node('note', 'variable', { variableName: 'noted', agentProvidedFields: ['variableValue'] });
  const handles = { sourceHandle: 'tool-output', targetHandle: 'tool-input' };
  return {
    nodes: [...nodes, tool],
    edges: [...edges, { id: 'tool', source: 'note', target: 'lead', ...handles }],
  };
}

/** A JSON body of about so many bytes. */
export function createBody(bytes: number): string {
  const row = { id: 12_345, name: 'Ada Lovelace', email: 'ada@example.com', tags: ['one', 'two', 'three'] };
  const rows = Array.from({ length: Math.max(1, Math.floor((bytes - 30) / 96)) }, () => row);
  return JSON.stringify({ text: 'hello', rows });
}
