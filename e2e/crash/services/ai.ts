import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from '../../../apps/server/src/testing/authorization-server.ts';
import { chatStream, json, startFakeProvider } from '../../../packages/models/src/testing/fake-provider.ts';
import { startMcpServer } from '../../../packages/nodes/src/testing/servers/mcp-server.ts';
import { NOTE_NODE } from '../graphs/graphs.ts';
import type { Sink } from './sink.ts';

/** Services for models and tools, in the wire formats of real ones. */
export interface AiServices {
  /** Base address of a server with Chat Completions and of a decision model. */
  readonly models_url: string;
  /** Address of an MCP server with the tool `say`, which repeats what it is given. */
  readonly tools_url: string;
  /** Address of an MCP server that people sign in to, with the tool `note`, which must not be called twice for a run. */
  readonly signed_tools_url: string;
  /** Calls of the language model, by the label of the run. */
  readonly model_calls: ReadonlyMap<string, number>;
  /** Lets go of everything, for labels come again on another database. */
  forget(): void;
  close(): Promise<void>;
}

const DECISION = {
  model: 'small',
  answers: { urgent: { type: 'noul', noul: 0.9 } },
  usage: { input_tokens: 1, output_tokens: 1 },
};
/** Of a run of the harness. */
const LABEL = /"([a-z]+\d*-\d+)"/;

const USE = { id: 'use-1', name: 'shape', arguments: '{}' };

/** Access tokens are renewed two minutes before they end, so that these are renewed after a second. */
const TOKEN_SECONDS = 121;
/** The authorization server answers for so long, then refuses for so long: a token that has to be renewed often finds it away. */
const SIGN_IN_UP_MS = 700;
const SIGN_IN_DOWN_MS = 2_000;

/** The model answers with the label of the run that asks; an agent has to use its tool before. */
export async function startAiServices(sink: Sink): Promise<AiServices> {
  const model_calls = new Map<string, number>();
  const provider = await startFakeProvider(({ path, body }) => {
    if (path.endsWith('/systemone')) return json(DECISION);
    const request = JSON.stringify(body);
    const label = LABEL.exec(request)?.[1] ?? 'without a label';
    model_calls.set(label, (model_calls.get(label) ?? 0) + 1);
    if (body?.['tools'] && !request.includes('"role":"tool"'))
      return { chunks: chatStream([], { tools: [USE] }) };
    return { chunks: chatStream(['model ', label]) };
  });
  const tools = await startMcpServer();
  const signIn = await startSignIn();
  const signedTools = await startMcpServer({
    guard: { authorization_server: signIn.url, accepts: (token) => token.startsWith('at-') },
    onNote: (label) => sink.note(`${label}/${NOTE_NODE}`),
  });
  return {
    models_url: provider.url,
    tools_url: tools.url,
    signed_tools_url: signedTools.url,
    model_calls,
    forget: () => model_calls.clear(),
    async close() {
      provider.stop();
      signIn.close();
      await Promise.all([tools.close(), signedTools.close()]);
    },
  };
}

/** An authorization server whose tokens end soon, and which is down most of the time once a sign-in has succeeded. */
async function startSignIn(): Promise<AuthorizationServer> {
  const server = await startAuthorizationServer({
    client_id: 'unused',
    client_secret: 'unused',
    redirect_uri: /^http:/,
    registration: 'open',
    iss: 'own',
    expires_in: TOKEN_SECONDS,
    // Each scenario begins with a copy of the same sign-in.
    keeps_refresh_tokens: true,
  });
  const { next, token_requests } = server;
  const over = new AbortController();
  const isOver = (ms: number) =>
    sleep(ms, undefined, { signal: over.signal }).then(
      () => false,
      () => true,
    );
  const comeAndGo = async () => {
    while (!(await isOver(SIGN_IN_UP_MS))) {
      if (token_requests.length === 0) continue;
      next.push(...Array.from({ length: 1_000 }, () => 'down' as const));
      await isOver(SIGN_IN_DOWN_MS);
      next.length = 0;
    }
  };
  void comeAndGo();
  return {
    ...server,
    close() {
      over.abort();
      server.close();
    },
  };
}
