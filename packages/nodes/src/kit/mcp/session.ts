import { type JsonObject, NodeFailure } from '@millrace/engine';
import type { CallToolResult, Client, Tool, Transport } from '@modelcontextprotocol/client';
import type { Egress, NodeServices, ProgramJob } from '../../services.ts';
import { type EgressFetch, egressFetch } from './egress-fetch.ts';
import { type McpLibrary, mcpFailure } from './failures.ts';
import type { ProgramServer } from './program.ts';
import { ProgramTransport } from './program-transport.ts';
import { describeServer, type McpServer, type RemoteServer } from './server.ts';

/** Who calls a server, and for how long at most. */
export interface McpCaller {
  readonly http: Egress;
  /** Starts servers that are programs; without it they are refused. */
  readonly startProgram?: NodeServices['startProgram'];
  /** Epoch milliseconds. */
  now(): number;
  readonly signal: AbortSignal;
  /** From the first byte to the last answer of one piece of work; a program has been installed and started by then. */
  readonly timeout_ms: number;
  /** For many calls of one program: the time above applies to each of them. */
  readonly lasting?: {
    /** How long the program may run. */
    readonly ms: number;
    readonly onCrowded: NonNullable<ProgramJob['onCrowded']>;
  };
  /** Gets the server's reports on its work, line by line. */
  readonly onLog?: ((line: string) => void) | undefined;
}

export interface ToolCall {
  readonly tool: Pick<Tool, 'name' | 'inputSchema'>;
  readonly input: JsonObject;
  readonly onProgress?: (progress: JsonObject) => void;
}

/** A conversation with one server; it ends with `close`. */
export interface McpSession {
  listTools(): Promise<Tool[]>;
  callTool(call: ToolCall): Promise<CallToolResult>;
  /** Whether its server was a program that has ended. */
  readonly is_over: boolean;
  close(): Promise<void>;
}

const NO_PROGRAMS = 'Servers of the transport stdio run in workflows only; use streamable_http or sse';
const INFO = { name: 'millrace', version: '1' };
/** How long a server has to take the last words: that a call is cancelled, that a session is over. */
const GOODBYE_MS = 1_000;
/** The library ends a request in its own words, which say more than a connection that was cut. */
const CUT_AFTER_MS = 2_000;
/** The person who waits for a probe of an older server would not wait for the whole time of a call. */
const MAX_PROBE_MS = 10_000;

/** Speaks to a server; errors are `NodeFailure`. Nothing is sent before it is needed. */
export function openMcpSession(caller: McpCaller, server: McpServer, field: string): McpSession {
  let opened: Promise<Conversation> | undefined;
  const host = describeServer(server, field);
  const seen: Seen = {};
  const ask = async <T>(work: (conversation: Conversation) => Promise<T>): Promise<T> => {
    const library = await import('@modelcontextprotocol/client');
    seen.egress = undefined;
    try {
      opened ??= converse(library, caller, server, seen);
      return await work(await opened);
    } catch (error) {
      const { timeout_ms, signal } = caller;
      const { program, egress = program?.failure } = seen;
      const junk = program?.junk ?? '';
      throw mcpFailure(error, { library, host, timeout_ms, cancelled: signal.aborted, egress, junk });
    }
  };
  return {
    listTools: () => ask(async ({ client, left }) => (await client.listTools(undefined, left())).tools),
    callTool: ({ tool, input, onProgress }) =>
      ask(({ client, left }) =>
        client.callTool(
          { name: tool.name, arguments: input },
          {
            ...left(),
            // Without its output schema: what a tool answers is what the node returns, also when the server is wrong about it.
            toolDefinition: tool,
            ...(onProgress ? { onprogress: (progress) => onProgress({ ...progress } as JsonObject) } : {}),
          },
        ),
      ),
    get is_over() {
      return seen.program?.failure !== undefined;
    },
    close: async () => {
      const conversation = await opened?.catch(() => undefined);
      await conversation?.close();
    },
  };
}

/** Observations from below the library. */
interface Seen {
  egress?: unknown;
  program?: ProgramTransport;
}

interface Conversation {
  readonly client: Client;
  /** The time that is left, for the next request. */
  left(): { signal: AbortSignal; timeout: number; maxTotalTimeout: number };
  close(): Promise<void>;
}

interface Line {
  readonly transport: Transport;
  /** Epoch milliseconds. */
  readonly ends_at_ms: number;
  /** Cuts what is still open. */
  end(): Promise<void> | void;
}

async function converse(
  library: McpLibrary,
  caller: McpCaller,
  server: McpServer,
  seen: Seen,
): Promise<Conversation> {
  const { transport, ends_at_ms, end } =
    server.transport === 'stdio'
      ? await programLine(caller, server, seen)
      : remoteLine(library, caller, server, seen);
  const farewells = watchFarewells(transport);
  // Which protocol a server speaks can be asked over streamable HTTP alone; event streams belong to the older ones, and
  // programs of the older ones may end at a question that they do not know.
  const mode = server.transport === 'streamable_http' ? 'auto' : 'legacy';
  const probe = { timeoutMs: Math.min(caller.timeout_ms, MAX_PROBE_MS) };
  const client = new library.Client(INFO, { versionNegotiation: { mode, probe } });
  client.setNotificationHandler('notifications/message', ({ params }) => {
    caller.onLog?.(typeof params.data === 'string' ? params.data : JSON.stringify(params.data));
  });
  const left = () => {
    const timeout = Math.max(Math.min(ends_at_ms - caller.now(), caller.timeout_ms), 1);
    return { signal: caller.signal, timeout, maxTotalTimeout: timeout };
  };
  const close = async () => {
    await withinMs(GOODBYE_MS, [...farewells, endSession(library, transport)]);
    await client.close().catch(() => undefined);
    await end();
  };
  try {
    await client.connect(transport, left());
  } catch (error) {
    await close();
    throw error;
  }
  return { client, left, close };
}

function remoteLine(library: McpLibrary, caller: McpCaller, server: RemoteServer, seen: Seen): Line {
  const ends_at_ms = caller.now() + caller.timeout_ms;
  const over = new AbortController();
  const onError = (error: unknown) => (seen.egress ??= error);
  const fetch = egressFetch(caller.http, {
    ends_at_ms: ends_at_ms + CUT_AFTER_MS,
    now: caller.now,
    signal: over.signal,
    onError,
  });
  const transport = createTransport(library, server, renewingFetch(server, fetch, onError));
  return { transport, ends_at_ms, end: () => over.abort() };
}

/** The time begins when the program runs. */
async function programLine(caller: McpCaller, server: ProgramServer, seen: Seen): Promise<Line> {
  const { startProgram, signal, timeout_ms, lasting } = caller;
  const lasts_ms = lasting?.ms ?? timeout_ms;
  if (!startProgram) {
    throw new NodeFailure({
      kind: 'sandbox',
      message: NO_PROGRAMS,
      field: `${server.field}.transport`,
      final: true,
    });
  }
  const transport = await ProgramTransport.open(server, {
    startProgram,
    signal,
    timeout_ms: lasts_ms + CUT_AFTER_MS,
    start_within_ms: timeout_ms + CUT_AFTER_MS,
    ...(lasting ? { onCrowded: lasting.onCrowded } : {}),
    onLog: (line) => caller.onLog?.(line),
  });
  seen.program = transport;
  return { transport, ends_at_ms: caller.now() + lasts_ms, end: () => transport.close() };
}

/** A request that the server refused for its token was not carried out, so even a call is sent again, once, with another one. */
function renewingFetch(
  { url, renew }: RemoteServer,
  fetch: EgressFetch,
  onError: (error: unknown) => unknown,
): EgressFetch {
  if (!renew) return fetch;
  let renewed: Promise<Readonly<Record<string, string>>> | undefined;
  const { origin } = new URL(url);
  return async (address, init = {}) => {
    const withNew = (headers: Readonly<Record<string, string>>) => {
      const all = new Headers(init.headers);
      for (const [name, value] of Object.entries(headers)) all.set(name, value);
      return fetch(address, { ...init, headers: all });
    };
    const isOwn = new URL(address).origin === origin;
    const known = renewed;
    const answer = known && isOwn ? await withNew(await known) : await fetch(address, init);
    if (answer.status !== 401 || known || !isOwn) return answer;
    await answer.body?.cancel();
    try {
      renewed ??= renew();
      return await withNew(await renewed);
    } catch (error) {
      onError(error);
      throw error;
    }
  };
}

function createTransport(library: McpLibrary, { transport, url, headers }: RemoteServer, fetch: EgressFetch) {
  const options = { fetch, requestInit: { headers: { ...headers } } };
  if (transport === 'sse') return new library.SSEClientTransport(new URL(url), options);
  return new library.StreamableHTTPClientTransport(new URL(url), {
    ...options,
    // A server may end its stream and have the client ask again; that repeats no call, for only the answer is asked for.
    reconnectionOptions: {
      maxRetries: 3,
      initialReconnectionDelay: 500,
      maxReconnectionDelay: 5_000,
      reconnectionDelayGrowFactor: 2,
    },
  });
}

/** Notices that must reach the server although the request that they are about has been given up. */
function watchFarewells(transport: Transport): Set<Promise<unknown>> {
  const farewells = new Set<Promise<unknown>>();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const sent = send(message, options);
    if ('method' in message && message.method === 'notifications/cancelled') farewells.add(sent);
    return sent;
  };
  return farewells;
}

/** Frees what the server keeps of the conversation; servers that keep nothing have given no session. */
async function endSession(library: McpLibrary, transport: Transport): Promise<void> {
  if (!(transport instanceof library.StreamableHTTPClientTransport)) return;
  if (transport.sessionId !== undefined) await transport.terminateSession();
}

/** Waits for all of them, but no longer than that; what fails was only a courtesy. */
async function withinMs(ms: number, work: readonly Promise<unknown>[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([Promise.allSettled(work), enough]);
  clearTimeout(timer);
}

/** The tool of that name; the failure names those that the server has. */
export function requireTool(tools: readonly Tool[], name: string): Tool {
  const found = tools.find((tool) => tool.name === name);
  if (found) return found;
  const names = tools.slice(0, 20).map((tool) => tool.name);
  const known = names.length === 0 ? 'it has no tools' : `it has ${names.join(', ')}`;
  throw new NodeFailure({
    kind: 'params',
    field: 'selectedTool',
    message: `the server has no tool "${name.slice(0, 100)}"; ${known}${tools.length > 20 ? ' and others' : ''}`,
  });
}
