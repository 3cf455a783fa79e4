import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { newOrderedId } from '../../../apps/server/src/core/ids.ts';
import { enqueueRun } from '../../../apps/server/src/execution/store/queue/enqueue.ts';
import { HELD_MS } from '../../../apps/server/src/execution/store/queue/places.ts';
import type { JsonObject } from '../../../packages/engine/src/json.ts';
import type { Fleet } from '../fleet.ts';
import { CREDENTIAL, SECRET } from '../graphs/graphs.ts';
import { buildInput, type GraphKind, getGraphKind, KINDS, type Kind, type StartedKind } from '../kinds.ts';
import type { AiServices } from '../services/ai.ts';
import type { Sql } from '../services/sql.ts';

export interface WorkflowVersion {
  readonly workflow_id: string;
  readonly version_id: string;
  readonly owner_id: string;
}

/** The workflows that are run. */
export type Workflows = Readonly<Record<Kind, WorkflowVersion>> & {
  /** Of their owner. */
  readonly token: string;
};

/** The answer to a caller. */
export interface Told {
  readonly run_id: string;
  readonly body: string;
}

/** A run that was accepted: queued durably, or answered. */
export interface Admitted {
  readonly label: string;
  readonly kind: StartedKind;
  /** For one that came over HTTP: the answers, or that there never was one. */
  readonly told: readonly (Told | 'nothing')[];
}

export interface CallbackAnswer {
  readonly answer: string;
  readonly outcome: 'accepted' | 'refused' | 'not found' | 'not answered';
}

async function send(url: string, method: string, body: unknown, token?: string): Promise<Response> {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${await answer.text()}`);
  return answer;
}

export interface Created {
  readonly ids: Readonly<Record<Kind, string>>;
  readonly token: string;
}

/** The services that runs reach outside. */
export interface Outside {
  /** Address. */
  readonly sink: string;
  readonly ai: Pick<AiServices, 'models_url' | 'tools_url' | 'signed_tools_url'>;
}

/** The authorization server is down most of the time. */
const SIGN_IN_TRIES = 30;

/** Stores a credential for an MCP server and signs in, as the browser of a person does at a provider that allows everything. */
async function signIn(base: string, token: string, mcp_url: string): Promise<string> {
  const config = { mcp_url, mcp_auth: 'oauth' };
  const given = { name: 'signed tools', type: 'mcp', config };
  const stored = await send(`${base}/api/credentials`, 'POST', given, token);
  const { id: credential_id } = (await stored.json()) as { id: string };
  for (let tries = 0; tries < SIGN_IN_TRIES; tries++) {
    const begin = `${base}/api/credentials/mcp/oauth/authorize`;
    const begun = await send(begin, 'POST', { credential_id }, token);
    const { auth_url } = (await begun.json()) as { auth_url: string };
    const allowed = await fetch(auth_url, { redirect: 'manual' });
    const { pathname, search } = new URL(allowed.headers.get('location') ?? '');
    const headers = { authorization: `Bearer ${token}` };
    if ((await fetch(`${base}${pathname}${search}`, { headers })).ok) return credential_id;
    await sleep(300);
  }
  throw new Error(`the sign-in failed ${SIGN_IN_TRIES} times`);
}

/** Makes the workflows through the API of a running process, before anything goes wrong. */
export async function createWorkflows(base: string, { sink, ai }: Outside): Promise<Created> {
  const person = {
    email: `crash-${randomUUID()}@example.com`,
    password: 'Passw0rd!',
    name: 'Crash',
  };
  const session = await send(`${base}/api/auth/register`, 'POST', person);
  const { access_token: token } = (await session.json()) as { access_token: string };
  const credential = { name: CREDENTIAL, type: 'bearer', config: { bearer_token: SECRET } };
  const store = async (given: object): Promise<string> => {
    const stored = await send(`${base}/api/credentials`, 'POST', given, token);
    return ((await stored.json()) as { id: string }).id;
  };
  await store(credential);
  const base_url = ai.models_url;
  const places = {
    sink,
    tools: ai.tools_url,
    model_credential: await store({ name: 'model', type: 'custom', config: { api_key: 'none', base_url } }),
    decision_credential: await store({ name: 'decision', type: 'decision', config: { base_url } }),
    signed_tools_credential: await signIn(base, token, ai.signed_tools_url),
  };
  const ids: Partial<Record<Kind, string>> = {};
  const create = async (kind: Kind, settings: object = {}): Promise<string> => {
    const created = await send(`${base}/api/workflows`, 'POST', { name: kind }, token);
    const { id } = (await created.json()) as { id: string };
    const { child = '', slow_child = '' } = ids;
    const graph = getGraphKind(kind).graph({ ...places, child, slow_child });
    await send(
      `${base}/api/workflows/${id}`,
      'PUT',
      { ...graph, auth_type: 'anonymous', ...settings },
      token,
    );
    ids[kind] = id;
    return id;
  };
  await create('child');
  await create('slow_child');
  const error_workflow_id = await create('handler');
  for (const kind of Object.keys(KINDS) as Kind[]) {
    if (ids[kind] === undefined)
      await create(kind, kind === 'failing' ? { error_workflow_id } : getGraphKind(kind).settings);
  }
  // Guarantee: the loop has made one of each kind.
  return { ids: ids as Record<Kind, string>, token };
}

/** The facts about them that are needed to queue a run. */
export async function loadVersions(sql: Sql, { ids, token }: Created): Promise<Workflows> {
  const rows = await sql.query<WorkflowVersion>(
    'SELECT id AS workflow_id, version_id, owner_id FROM workflows',
  );
  const found = new Map(rows.map((row) => [row.workflow_id, row]));
  const versions = Object.entries(ids).map(([kind, id]) => {
    const version = found.get(id);
    if (!version) throw new Error(`no workflow ${kind}`);
    return [kind, version] as const;
  });
  return { ...(Object.fromEntries(versions) as Record<Kind, WorkflowVersion>), token };
}

/** Queues a run as a trigger does; repeated until it is known to be stored. Resolves to its id. */
export async function queueRun(
  sql: Sql,
  version: WorkflowVersion,
  { label, held }: { readonly label: string; readonly held?: boolean | undefined },
): Promise<string> {
  const now = Date.now();
  const run = {
    run_id: newOrderedId(now),
    workflow_id: version.workflow_id,
    version_id: version.version_id,
    trigger_source: 'cron',
    trigger_node_id: null,
    actor_id: version.owner_id,
    parent_run_id: null,
    root_run_id: null,
    depth: 0,
    idempotency_key: null,
    options: {},
    input: { headers: {}, query: {}, body: buildInput(label) },
    started_at_ms: now,
    deadline_at_ms: null,
    ...(held ? { ready_at_ms: HELD_MS } : {}),
  };
  const client = {
    async query<Row>({ text, values }: { text: string; values?: unknown[] }) {
      const rows = await sql.query<Row & object>(text, values);
      return { rows, row_count: rows.length };
    },
  };
  for (;;) {
    try {
      await enqueueRun(client, run);
      return run.run_id;
    } catch {
      await sleep(50);
    }
  }
}

/** After this long without an answer a caller gives up. */
const PATIENCE_MS = 120_000;
const ANSWER_WITHIN_MS = 15_000;

/** Calls the execute endpoint as a careful client does: with a key, again and again until it is answered. */
export async function callUntilAnswered(
  fleet: Fleet,
  { workflow_id }: WorkflowVersion,
  label: string,
): Promise<Told | 'nothing'> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const urls = fleet.urls();
    const base = urls[Math.floor(Math.random() * urls.length)];
    const told =
      base === undefined ? undefined : await callOnce(`${base}/api/workflows/${workflow_id}`, label);
    if (told) return told;
    await sleep(100);
  }
  return 'nothing';
}

/** Asks for the end of a run until a process has taken it down, or says that the run is over. */
export async function cancelUntilAnswered(
  fleet: Fleet,
  { workflow_id, token }: { readonly workflow_id: string; readonly token: string },
  run_id: string,
): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const [base] = fleet.urls();
    const status = await fetch(`${base}/api/workflows/${workflow_id}/executions/${run_id}/cancel`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: '{}',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    }).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200 || status === 404) return;
    await sleep(100);
  }
}

type Door = NonNullable<GraphKind['asks']>;

/** How a decision is handed in. */
const REQUESTS: Readonly<Record<Door, (address: URL, answer: string) => { path: string; body: JsonObject }>> =
  {
    callback: ({ pathname }, answer) => ({ path: pathname, body: { answer } }),
    review: ({ pathname }, answer) => ({
      path: `/api/hitl/${pathname.split('/').at(-1)}/decision`,
      body: { action: 'edit', edited_text: answer },
    }),
  };
/** Accepted, or refused because another one came first. */
const ACCEPTED: ReadonlySet<number> = new Set([200, 202]);
const REFUSED: ReadonlySet<number> = new Set([409, 410]);
const LEADS_NOWHERE = 404;

/** Two callers at once with different answers, each until it is answered. */
export async function answerAddress(fleet: Fleet, door: Door, address: string): Promise<CallbackAnswer[]> {
  const give = async (answer: string): Promise<CallbackAnswer> => {
    const { path, body } = REQUESTS[door](new URL(address), answer);
    const until = performance.now() + PATIENCE_MS;
    while (performance.now() < until) {
      const urls = fleet.urls();
      const base = urls[Math.floor(Math.random() * urls.length)];
      const status = await fetch(`${base}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      }).then(
        (told) => told.status,
        () => 0,
      );
      if (ACCEPTED.has(status)) return { answer, outcome: 'accepted' };
      if (REFUSED.has(status)) return { answer, outcome: 'refused' };
      if (status === LEADS_NOWHERE) return { answer, outcome: 'not found' };
      await sleep(100);
    }
    return { answer, outcome: 'not answered' };
  };
  return Promise.all(['yes', 'no'].map(give));
}

async function callOnce(workflow: string, label: string): Promise<Told | undefined> {
  try {
    const answer = await fetch(`${workflow}/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': label },
      body: JSON.stringify(buildInput(label)),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const body = await answer.text();
    return answer.ok ? { run_id: answer.headers.get('x-execution-id') ?? '', body } : undefined;
  } catch {
    // The process went away; whether it accepted the run is unknown. That is what the key is for.
    return undefined;
  }
}
