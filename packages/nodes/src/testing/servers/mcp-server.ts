import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

/** A test server, with a record of what it has been asked to do. */
export interface McpTestServer {
  /** Address of streamable HTTP. */
  readonly url: string;
  /** Address of the older transport. */
  readonly sse_url: string;
  /** Notes that the tool `note` has taken, in order. */
  readonly notes: string[];
  /** Calls of `slow` that are under way, and that were cancelled. */
  readonly slow: { running: number; cancelled: number };
  /** Sessions of streamable HTTP that are open. */
  readonly sessions: ReadonlyMap<string, unknown>;
  /** Headers of every request. */
  readonly headers: IncomingMessage['headers'][];
  close(): Promise<void>;
}

interface Guard {
  readonly authorization_server: string;
  accepts(token: string, resource: string): boolean;
  /** The server's name for itself; its address by default. */
  readonly resource?: string;
}

interface Options {
  /** Refuses requests without this bearer token. */
  readonly token?: string;
  /** Refuses requests without a token that the authorization server gave for this server (RFC 9728). */
  readonly guard?: Guard;
  /** Answers every request with this status. */
  readonly status?: number;
  /** A free one by default. */
  readonly port?: number;
  /** Refuses every call in words that repeat the bearer token. */
  readonly repeats?: boolean;
  /** Hears what the tool `note` takes. */
  readonly onNote?: (words: string) => void;
}

type Facts = Pick<McpTestServer, 'notes' | 'slow'> & Pick<Options, 'onNote'>;

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });

function createToolServer({ notes, slow, onNote }: Facts): McpServer {
  const server = new McpServer({ name: 'test', version: '1' }, { capabilities: { logging: {} } });
  server.registerTool(
    'add',
    {
      description: 'Adds two numbers',
      inputSchema: { a: z.int(), b: z.int().max(100), exact: z.boolean().optional() },
      outputSchema: { sum: z.int(), exact: z.boolean() },
      annotations: { readOnlyHint: true },
    },
    ({ a, b, exact = false }) => {
      const structuredContent = { sum: a + b, exact };
      return { ...text(JSON.stringify(structuredContent)), structuredContent };
    },
  );
  server.registerTool('say', { inputSchema: { words: z.string() } }, ({ words }) => text(words));
  server.registerTool('note', { inputSchema: { words: z.string() } }, ({ words }) => {
    notes.push(words);
    onNote?.(words);
    return text('noted');
  });
  server.registerTool('fail', {}, () => ({ ...text('the shelf is empty'), isError: true }));
  server.registerTool('picture', {}, () => ({
    content: [
      { type: 'text', text: 'a dot' },
      { type: 'image', data: 'AA==', mimeType: 'image/png' },
    ],
  }));
  server.registerTool(
    'slow',
    { inputSchema: { ms: z.int() } },
    async ({ ms }, { signal, sendNotification, _meta }) => {
      slow.running += 1;
      const progressToken = _meta?.progressToken;
      if (progressToken !== undefined) {
        const params = { progressToken, progress: 1, total: 2, message: 'half of it' };
        await sendNotification({ method: 'notifications/progress', params });
      }
      await sendNotification({ method: 'notifications/message', params: { level: 'info', data: 'began' } });
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        signal.addEventListener('abort', () => {
          clearTimeout(timer);
          slow.cancelled += 1;
          resolve();
        });
      });
      slow.running -= 1;
      return text('done');
    },
  );
  return server;
}

async function refuse(request: IncomingMessage, response: ServerResponse, message: string): Promise<void> {
  let sent = '';
  for await (const chunk of request) sent += String(chunk);
  const { id = null } = JSON.parse(sent || '{}') as { id?: number };
  const body = { jsonrpc: '2.0', id, error: { code: -32000, message } };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const METADATA = '/.well-known/oauth-protected-resource';

/** A real MCP server of the official library with streamable HTTP at `/mcp` and event streams at `/sse`. */
export async function startMcpServer({
  token,
  guard,
  status,
  repeats,
  onNote,
  port = 0,
}: Options = {}): Promise<McpTestServer> {
  const facts: Facts = { notes: [], slow: { running: 0, cancelled: 0 }, ...(onNote ? { onNote } : {}) };
  const headers: IncomingMessage['headers'][] = [];
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const streams = new Map<string, SSEServerTransport>();

  async function answerStreamable(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const known = sessions.get(String(request.headers['mcp-session-id']));
    if (known) return known.handleRequest(request, response);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await createToolServer(facts).connect(transport);
    return transport.handleRequest(request, response);
  }

  async function answerSse(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    if (request.method === 'GET') {
      const transport = new SSEServerTransport('/sse', response);
      streams.set(transport.sessionId, transport);
      await createToolServer(facts).connect(transport);
      return;
    }
    const stream = streams.get(url.searchParams.get('sessionId') ?? '');
    if (stream) await stream.handlePostMessage(request, response);
    else response.writeHead(404).end();
  }

  const server = createServer((request, response) => {
    headers.push(request.headers);
    const url = new URL(request.url ?? '', 'http://test');
    const base = `http://${request.headers.host ?? ''}`;
    const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const described = url.pathname.startsWith(METADATA) ? url.pathname.slice(METADATA.length) : undefined;
    const resource = guard?.resource ?? `${base}${described ?? url.pathname}`;
    if (guard && described !== undefined) {
      const { authorization_server } = guard;
      const body = { resource, authorization_servers: [authorization_server], scopes_supported: ['tools'] };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    } else if (guard && !guard.accepts(given, resource)) {
      const challenge = `Bearer resource_metadata="${base}${METADATA}${url.pathname}"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end();
    } else if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    } else if (repeats) void refuse(request, response, `${given} is not liked`);
    else if (status !== undefined) response.writeHead(status).end();
    else if (url.pathname === '/mcp') void answerStreamable(request, response);
    else if (url.pathname === '/sse') void answerSse(request, response, url);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  server.unref();
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...facts,
    url: `${base}/mcp`,
    sse_url: `${base}/sse`,
    sessions,
    headers,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}
