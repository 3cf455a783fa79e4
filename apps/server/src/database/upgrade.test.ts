import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { receivers } from '@millrace/nodes/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openPglite } from '../adapters/pglite/open.ts';
import { openPostgres } from '../adapters/postgres/open.ts';
import { openEmptyPostgresForTest, silent } from '../execution/journal/testing/databases.ts';
import { deleteRunsOfDeleted } from '../execution/ownership/delete-runs.ts';
import { createTestApp, type TestApp } from '../testing/test-app.ts';
import { isPostgresReachable } from '../testing/test-server.ts';
import { createTriggerHost } from '../triggers/host/host.ts';
import { joinHosts } from '../triggers/host/shares.ts';
import type { Database } from './database.ts';
import {
  ANSWER,
  CHAT,
  CRON,
  chatDelivery,
  DOOMED,
  PERSON,
  TOKEN,
  WORKFLOWS,
} from './testing/upgrade-scenario.ts';

// Data that earlier versions stored, each ended in the middle of a run (`tools/upgrade/record.ts`).
const FOLDER = fileURLToPath(new URL('./testing/upgrades', import.meta.url));
const VERSIONS = readdirSync(FOLDER).map((name) => name.replace('.sql.gz', ''));

/** As if that version had ended just now: what is open still has its time. */
const JUST_NOW = [
  `UPDATE runs SET started_at = now(), deadline_at = now() + (deadline_at - started_at) WHERE state < 3`,
  `UPDATE waits SET started_at = now(), due_at = now() + (due_at - started_at)`,
  `UPDATE trigger_causes SET expires_at = now() + (expires_at - first_at)`,
];

async function restore(database: Database, version: string): Promise<void> {
  const text = gunzipSync(readFileSync(`${FOLDER}/${version}.sql.gz`)).toString('utf8');
  await database.sql.query({ text });
  await database.migrate();
  for (const text of JUST_NOW) await database.sql.query({ text });
}

/** Recorded before the scenario had these workflows. */
const WITHOUT_CHILD = new Set(['14453e4', '14d2efe', '5fd6eb6', 'c10496d']);
const WITHOUT_SEAL = new Set([...WITHOUT_CHILD, '2759e5c']);
const WITHOUT_WAITS = new Set([...WITHOUT_SEAL, '165d568']);

interface Item {
  readonly id: string;
  readonly status: string;
}

interface Entry extends Item {
  readonly inputs: unknown;
  readonly outputs: unknown;
  readonly node_results: readonly { node_id: string; status: string; output: Record<string, unknown> }[];
}

function describeUpgrade(version: string, open: () => Promise<Database>): void {
  let app: TestApp;
  let call: (method: string, url: string, body?: unknown) => Promise<{ statusCode: number; body: string }>;
  beforeAll(async () => {
    const database = await open();
    await restore(database, version);
    app = await createTestApp({ database });
    const { email, password } = PERSON;
    const answer = await app.call('POST', '/api/auth/login', { email, password });
    const authorization = `Bearer ${answer.json<{ access_token: string }>().access_token}`;
    call = (method, url, body) => app.call(method, url, body, { authorization });
  });
  afterAll(() => app.close());

  const get = async <T>(url: string): Promise<T> => {
    const answer = await call('GET', url);
    expect(answer.statusCode, answer.body).toBe(200);
    return JSON.parse(answer.body) as T;
  };
  const loadWorkflowId = async (name: string): Promise<string> => {
    const { rows } = await app.services.database.sql.query<{ id: string }>({
      text: 'SELECT id FROM workflows WHERE name = $1',
      values: [name],
    });
    return rows[0]?.id ?? '';
  };
  const lastRun = async (name: string): Promise<Entry> => {
    const workflow = await loadWorkflowId(name);
    const { items } = await get<{ items: Item[] }>(`/api/workflows/${workflow}/history`);
    return get<Entry>(`/api/workflows/${workflow}/history/${items.at(-1)?.id}`);
  };

  test('finished runs read as they did', async () => {
    for (const name of ['small', 'large']) {
      const entry = await lastRun(name);
      expect(entry).toMatchObject({ status: 'success', outputs: WORKFLOWS[name]?.outputs });
      expect(entry.node_results.length).toBe(WORKFLOWS[name]?.nodes.length);
    }
  });

  test('a credential opens', async () => {
    const nodes = [
      { id: 'start', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'start' } },
      {
        id: 'out',
        type: 'output',
        position: { x: 9, y: 0 },
        data: { label: 'out', message: '$credentials.B.length' },
      },
    ];
    const edges = [{ id: 'e', source: 'start', target: 'out' }];
    const created = await call('POST', '/api/workflows', { name: 'credential', nodes, edges });
    const { id } = JSON.parse(created.body) as { id: string };
    const answer = await call('POST', `/api/workflows/${id}/execute`, {});
    expect(JSON.parse(answer.body)).toMatchObject({ outputs: { out: { result: TOKEN.length } } });
  });

  test('the run that was under way ends as it would have, without doing again what was done', async () => {
    const entry = await vi.waitFor(
      async () => {
        const last = await lastRun('open');
        expect(last.status, version).toBe('success');
        return last;
      },
      { timeout: 18_000, interval: 100 },
    );
    expect(entry.outputs).toEqual(WORKFLOWS['open']?.outputs);
    expect(entry.node_results.map(({ node_id }) => node_id).sort()).toEqual([
      'add',
      'fetch',
      'out',
      'pause',
      'start',
    ]);
  });

  test.skipIf(WITHOUT_SEAL.has(version))(
    'a run whose stored input is sealed continues with the real value',
    async () => {
      const { rows } = await app.services.database.sql.query({
        text: 'SELECT 1 FROM runs WHERE workflow_id = $1 AND options LIKE $2 AND input NOT LIKE $3',
        values: [await loadWorkflowId('child'), '%sealed_input%', `%${TOKEN}%`],
      });
      expect(rows.length, 'it was stored sealed').toBe(1);
      for (const name of ['child', 'sealed'])
        await vi.waitFor(
          async () =>
            expect(await lastRun(name)).toMatchObject({
              status: 'success',
              outputs: WORKFLOWS[name]?.outputs,
            }),
          { timeout: 18_000, interval: 100 },
        );
    },
  );

  test.skipIf(WITHOUT_CHILD.has(version))(
    'an active cron node is armed, and fires when it is due',
    async () => {
      const { database, execution } = app.services;
      const host = createTriggerHost({ services: app.services, receivers });
      await joinHosts(database.sql, execution.ownership.worker_id);
      await host.tick();
      const id = await loadWorkflowId('scheduled');
      const { rows } = await database.sql.query<{ next_due_at: Date }>({
        text: 'SELECT type, kind, active, settings, next_due_at FROM triggers WHERE workflow_id = $1',
        values: [id],
      });
      expect(rows).toMatchObject([{ type: 'cron', kind: 'clock', active: true }]);
      const due = rows[0]?.next_due_at ?? new Date(0);
      expect(due.toISOString()).toMatch(/-01-01T04:30:00/);
      app.clock.now = due.getTime() + 1_000;
      await host.tick();
      // The session is of today.
      app.clock.now = Date.now();
      await vi.waitFor(
        async () =>
          expect(await lastRun('scheduled')).toMatchObject({
            status: 'success',
            outputs: { out: { result: CRON } },
          }),
        { timeout: 18_000, interval: 100 },
      );
    },
  );

  describe.skipIf(WITHOUT_WAITS.has(version))('of what waited', () => {
    const ends = (name: string) =>
      vi.waitFor(
        async () => {
          const entry = await lastRun(name);
          expect(entry).toMatchObject({ status: 'success', outputs: WORKFLOWS[name]?.outputs });
          return entry;
        },
        { timeout: 18_000, interval: 100 },
      );
    const query = async <Row extends object>(text: string, ...values: unknown[]) =>
      (await app.services.database.sql.query<Row>({ text, values })).rows;

    test('a run is pending, and continues with the call to the address that was handed out', async () => {
      const entry = await lastRun('asking');
      expect(entry.status).toBe('pending');
      const { output } = entry.node_results.find(({ node_id }) => node_id === 'ask') ?? {};
      const { pathname } = new URL(String(output?.['url']));
      expect((await app.call('POST', pathname, { answer: ANSWER })).statusCode).toBe(200);
      const { node_results } = await ends('asking');
      expect(node_results.map(({ node_id }) => node_id)).toEqual(['start', 'keep', 'ask', 'out']);
    });

    test('a long pause ends when it is due, and so does a run that waits for one', async () => {
      expect((await lastRun('patient')).status).toBe('pending');
      const waits = await query(
        `UPDATE waits SET due_at = now() WHERE kind = 'timer' AND decided_at IS NULL RETURNING run_id`,
      );
      expect(waits, 'the one that was called and the one that a run waits for').toHaveLength(2);
      await ends('patient');
      const ended = await query<{ status: string }>(
        'SELECT status FROM runs WHERE workflow_id = $1',
        await loadWorkflowId('pausing'),
      );
      expect(ended).toEqual([{ status: 'success' }, { status: 'success' }]);
    });

    test('an event that was delivered before starts no second run', async () => {
      await ends('chatting');
      const { headers, body } = chatDelivery(app.clock.now);
      const again = await app.app.inject({ method: 'POST', url: CHAT.path, headers, payload: body });
      expect(again.statusCode).toBe(200);
      const causes = await query(
        'SELECT cause, repeats FROM trigger_causes WHERE workflow_id = $1',
        await loadWorkflowId('chatting'),
      );
      expect(causes).toEqual([{ cause: CHAT.event.event_id, repeats: 1 }]);
      const { items } = await get<{ items: Item[] }>(
        `/api/workflows/${await loadWorkflowId('chatting')}/history`,
      );
      expect(items).toHaveLength(1);
    });

    test('the deletion of a workflow continues', async () => {
      const [deletion] = await query<{ workflow_id: string }>('SELECT workflow_id FROM run_deletions');
      expect(await get('/api/workflows/deletions')).toMatchObject([{ workflow_name: DOOMED.name }]);
      const left = () => query('SELECT 1 FROM runs WHERE workflow_id = $1', deletion?.workflow_id);
      expect((await left()).length).toBeGreaterThan(0);
      await deleteRunsOfDeleted({ sql: app.services.database.sql, log: silent });
      expect(await left()).toEqual([]);
      expect(await get('/api/workflows/deletions')).toEqual([]);
    });
  });

  test('workflows run as before', async () => {
    const answer = await call(
      'POST',
      `/api/workflows/${await loadWorkflowId('small')}/execute`,
      WORKFLOWS['small']?.input,
    );
    expect(JSON.parse(answer.body)).toMatchObject({
      status: 'success',
      outputs: WORKFLOWS['small']?.outputs,
    });
  });
}

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

async function openEmptyPostgres(): Promise<Database> {
  const { url, drop } = await openEmptyPostgresForTest();
  const database = openPostgres({ url, log: silent });
  return {
    ...database,
    close: async () => {
      await database.close();
      await drop();
    },
  };
}

const openEmbedded = (): Promise<Database> => openPglite({});

// The embedded database takes five seconds to make, and is the same engine: it has one version where a server has them all.
describe.each(VERSIONS)('what version %s stored', (version) => {
  describeUpgrade(version, isPostgresReachable ? openEmptyPostgres : openEmbedded);
});

describe.runIf(isPostgresReachable)('what version 14d2efe stored in the embedded database', () => {
  describeUpgrade('14d2efe', openEmbedded);
});
