import type { JsonObject, TriggerKind } from '@millrace/engine';
import type { TriggerReceiver } from '@millrace/nodes/runtime';
import { openPostgres } from '../../adapters/postgres/open.ts';
import { newId } from '../../core/ids.ts';
import { openPostgresForTest, silent } from '../../execution/journal/testing/databases.ts';
import { createTestApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { createTriggerHost, type TriggerHost } from '../host/host.ts';
import { joinHosts } from '../host/shares.ts';

/** A process that hosts triggers; it looks only when a test asks for it. */
export interface HostUnderTest extends TriggerHost {
  readonly worker_id: string;
  /** The database considers the process dead. The process is not notified and continues, like one that was paused. */
  kill(): Promise<void>;
}

export interface ArmedTrigger {
  readonly id: string;
  readonly workflow_id: string;
  readonly node_id: string;
}

export interface TriggerFacts {
  readonly owner: string | null;
  readonly state: string;
  readonly last_error: string | null;
  readonly failures: number;
  readonly next_due_ms: number | null;
  readonly cursor: string | null;
}

/** Processes on one database, as they would be: nothing in memory is shared but the clock. */
export interface TriggerWorld {
  readonly hosts: readonly HostUnderTest[];
  /** One per process; the first is `app`. */
  readonly apps: readonly TestApp[];
  readonly app: TestApp;
  readonly user: TestUser;
  readonly now: () => number;
  passTime(ms: number): void;
  /** A workflow with one trigger node, published now. */
  arm(type: string, settings: JsonObject): Promise<ArmedTrigger>;
  /** As saving other settings does. */
  change(trigger: ArmedTrigger, settings: JsonObject): Promise<void>;
  loadInputs(trigger: ArmedTrigger): Promise<JsonObject[]>;
  listCauses(trigger: ArmedTrigger): Promise<{ cause: string; run_id: string; repeats: number }[]>;
  readFacts(trigger: ArmedTrigger): Promise<TriggerFacts>;
  /** How many triggers of a type each process hosts; those without a host are not counted. */
  hostedBy(type: string): Promise<number[]>;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly receivers: readonly TriggerReceiver[];
  readonly processes: number;
  readonly env?: Record<string, string>;
}

interface Process {
  readonly app: TestApp;
  readonly host: HostUnderTest;
}

async function startProcess(
  url: string,
  receivers: ReadonlyMap<string, TriggerReceiver>,
  env: Record<string, string>,
): Promise<Process> {
  const app = await createTestApp({ database: openPostgres({ url, log: silent }), env });
  const { database, execution } = app.services;
  const { worker_id } = execution.ownership;
  await joinHosts(database.sql, worker_id);
  const host = createTriggerHost({ services: app.services, receivers });
  const kill = async () => {
    await database.sql.query({ text: 'UPDATE workers SET alive = false WHERE id = $1', values: [worker_id] });
  };
  return {
    app,
    host: {
      worker_id,
      kill,
      start: () => host.start(),
      tick: () => host.tick(),
      settled: () => host.settled(),
      stop: () => host.stop(),
    },
  };
}

export async function createTriggerWorld(options: WorldOptions): Promise<TriggerWorld> {
  const { url, database } = await openPostgresForTest();
  const byType = new Map(options.receivers.map((receiver) => [receiver.definition.type, receiver]));
  const env = { ACCESS_TOKEN_MINUTES: '10080', LEASE_SECONDS: '60', ...options.env };
  const processes: Process[] = [];
  for (let at = 0; at < options.processes; at++) processes.push(await startProcess(url, byType, env));
  const [first] = processes;
  if (!first) throw new Error('a world has one process at least');
  const { app } = first;
  for (const process of processes) process.app.clock.now = app.clock.now;
  const user = await app.user();
  const { sql } = database;
  const getKind = (type: string): TriggerKind => byType.get(type)?.kind ?? 'clock';

  return {
    hosts: processes.map(({ host }) => host),
    apps: processes.map((process) => process.app),
    app,
    user,
    now: () => app.clock.now,
    passTime(ms) {
      const now = app.clock.now + ms;
      for (const process of processes) process.app.clock.now = now;
    },
    async arm(type, settings) {
      const node = { id: 'start', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'start' } };
      const made = await user.call('POST', '/api/workflows', { name: 'Armed', nodes: [node], edges: [] });
      const workflow_id = made.json<{ id: string }>().id;
      const kind = getKind(type);
      const isTimed = kind === 'clock' || kind === 'poll' || kind === 'event';
      const { rows } = await sql.query<{ id: string }>({
        text: `INSERT INTO triggers (workflow_id, node_id, version_id, type, kind, settings, next_due_at)
          VALUES ($1, 'start', $2, $3, $4, $5, to_timestamp($6::float8 / 1000)) RETURNING id`,
        values: [workflow_id, newId(), type, kind, JSON.stringify(settings), isTimed ? app.clock.now : null],
      });
      return { id: rows[0]?.id ?? '', workflow_id, node_id: 'start' };
    },
    async change({ id }, settings) {
      await sql.query({
        text: 'UPDATE triggers SET settings = $2, epoch = epoch + 1 WHERE id = $1',
        values: [id, JSON.stringify(settings)],
      });
    },
    async loadInputs({ workflow_id }) {
      const { rows } = await sql.query<{ input: string }>({
        text: 'SELECT input FROM runs WHERE workflow_id = $1 ORDER BY id',
        values: [workflow_id],
      });
      return rows.map(({ input }) => JSON.parse(input) as JsonObject);
    },
    async listCauses({ workflow_id }) {
      const { rows } = await sql.query<{ cause: string; run_id: string; repeats: number }>({
        text: 'SELECT cause, run_id, repeats FROM trigger_causes WHERE workflow_id = $1 ORDER BY cause',
        values: [workflow_id],
      });
      return rows;
    },
    async readFacts({ id }) {
      const { rows } = await sql.query<TriggerFacts>({
        text: `SELECT owner, state, last_error, failures, cursor,
          (extract(epoch FROM next_due_at) * 1000)::float8 AS next_due_ms FROM triggers WHERE id = $1`,
        values: [id],
      });
      const [row] = rows;
      if (!row) throw new Error(`no trigger ${id}`);
      return row;
    },
    async hostedBy(type) {
      const { rows } = await sql.query<{ hosted: number }>({
        text: 'SELECT count(*)::int AS hosted FROM triggers WHERE type = $1 AND owner IS NOT NULL GROUP BY owner',
        values: [type],
      });
      return rows.map(({ hosted }) => hosted);
    },
    async close() {
      for (const { host } of processes) await host.stop();
      for (const process of processes) await process.app.close();
      await database.close();
    },
  };
}
