import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { newRunId } from '../../apps/server/src/core/ids.ts';
import { enqueueRun } from '../../apps/server/src/execution/ownership/enqueue.ts';
import type { Fleet } from './fleet.ts';
import { childGraph, effectsGraph, inputOf, type Kind, parentGraph } from './graphs.ts';
import type { Sql } from './services/sql.ts';

export interface WorkflowVersion {
  readonly workflow_id: string;
  readonly version_id: string;
  readonly owner_id: string;
}

/** The workflows that are run; the target of `unsafe` honours no key. */
export type Workflows = Readonly<Record<Kind, WorkflowVersion>>;

/** What a caller was told. */
export interface Told {
  readonly run_id: string;
  readonly body: string;
}

/** A run that was accepted: queued durably, or answered. */
export interface Admitted {
  readonly label: string;
  readonly kind: Kind;
  /** For one that came over HTTP: the answer, or that there never was one. */
  readonly told?: Told | 'nothing';
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

/** Makes the workflows through the API of a running process, before anything goes wrong. Resolves to their ids. */
export async function createWorkflows(base: string, sink: string): Promise<Record<Kind, string>> {
  const person = {
    email: `crash-${randomUUID()}@example.com`,
    password: 'Passw0rd!',
    name: 'Crash',
  };
  const session = await send(`${base}/api/auth/register`, 'POST', person);
  const { access_token } = (await session.json()) as { access_token: string };
  const create = async (graph: object): Promise<string> => {
    const created = await send(`${base}/api/workflows`, 'POST', { name: 'Crash' }, access_token);
    const { id } = (await created.json()) as { id: string };
    const content = { ...graph, auth_type: 'anonymous' };
    await send(`${base}/api/workflows/${id}`, 'PUT', content, access_token);
    return id;
  };
  const child = await create(childGraph(sink));
  return {
    safe: await create(effectsGraph(sink, 'repeat')),
    unsafe: await create(effectsGraph(sink, 'fail')),
    parent: await create(parentGraph(child)),
  };
}

/** What queueing a run needs to know of them. */
export async function versionsOf(sql: Sql, ids: Record<Kind, string>): Promise<Workflows> {
  const rows = await sql.query<WorkflowVersion>(
    'SELECT id AS workflow_id, version_id, owner_id FROM workflows',
  );
  const find = (kind: Kind): WorkflowVersion => {
    const found = rows.find(({ workflow_id }) => workflow_id === ids[kind]);
    if (!found) throw new Error(`no workflow ${kind}`);
    return found;
  };
  return { safe: find('safe'), unsafe: find('unsafe'), parent: find('parent') };
}

/** Queues a run as a trigger does; repeated until it is known to be stored. */
export async function queueRun(sql: Sql, version: WorkflowVersion, label: string): Promise<void> {
  const now = Date.now();
  const run = {
    run_id: newRunId(now),
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
    input: { headers: {}, query: {}, body: inputOf(label) },
    started_at_ms: now,
    deadline_at_ms: null,
  };
  const client = {
    async query<Row>({ text, values }: { text: string; values?: unknown[] }) {
      const rows = await sql.query<Row & object>(text, values);
      return { rows, row_count: rows.length };
    },
  };
  for (;;) {
    try {
      await enqueueRun(client, { run, claim: undefined });
      return;
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

async function callOnce(workflow: string, label: string): Promise<Told | undefined> {
  try {
    const answer = await fetch(`${workflow}/execute`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': label },
      body: JSON.stringify(inputOf(label)),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    const body = await answer.text();
    return answer.ok ? { run_id: answer.headers.get('x-execution-id') ?? '', body } : undefined;
  } catch {
    // The process went away; whether it accepted the run, nobody knows. That is what the key is for.
    return undefined;
  }
}
