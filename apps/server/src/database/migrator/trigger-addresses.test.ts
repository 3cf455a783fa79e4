import { describe, expect, test, vi } from 'vitest';
import { openPglite } from '../../adapters/pglite/open.ts';
import { newId } from '../../core/ids.ts';
import {
  connectToEmptyPostgres,
  describeOnPostgres,
  type SqlConnection,
  silent,
} from '../../execution/journal/testing/databases.ts';
import type { SqlClient } from '../sql-client.ts';
import { migrate } from './migrate.ts';
import { readMigrations } from './migration-files.ts';

vi.setConfig({ testTimeout: 60_000 });

const ALL = readMigrations();
const AT = ALL.findIndex(({ name }) => name.includes('trigger-addresses'));
const HOOK = 'webhookTrigger';
const textOfNodes = (id: string) =>
  JSON.stringify([
    { id, type: HOOK, position: { x: 0, y: 0 }, data: { label: 'in', pinnedData: { odd: 'a\u2028b', id } } },
    { id: 'out', type: 'output', position: { x: 1, y: 0 }, data: { label: 'out' } },
  ]);
const EDGES = JSON.stringify([{ id: 'e', source: HOOK, target: 'out' }]);

interface Stored {
  readonly node_id: string;
  readonly nodes: string;
  readonly edges: string;
  readonly note: string | null;
  readonly version_number: number;
  readonly sse_node_config: string;
  readonly settings: string;
  readonly draft_nodes: string | null;
}

async function addWorkflow(sql: SqlClient, at: string): Promise<string> {
  const [id, owner_id, version_id, draft_id] = [newId(), newId(), newId(), newId()];
  const config = JSON.stringify({ [HOOK]: { send_start: true, start_message: null } });
  const statements: [text: string, values: unknown[]][] = [
    [
      `INSERT INTO users (id, email, name, password_hash) VALUES ($1, $2, 'Ann', 'x')`,
      [owner_id, `${owner_id}@example.com`],
    ],
    [
      `INSERT INTO workflows (id, name, owner_id, version_id, draft_id, sse_node_config) VALUES ($1, 'w', $2, $3, $4, $5)`,
      [id, owner_id, version_id, draft_id, config],
    ],
    [
      `INSERT INTO workflow_versions (id, workflow_id, version_number, name, nodes, edges, settings)
        VALUES ($1, $2, 3, 'w', $3, $4, $5)`,
      [version_id, id, textOfNodes(HOOK), EDGES, `{"http_method":"POST","sse_node_config":${config}}`],
    ],
    [
      `INSERT INTO workflow_drafts (id, workflow_id, nodes, edges, saved_at) VALUES ($1, $2, $3, $4, now())`,
      [draft_id, id, textOfNodes(HOOK), EDGES],
    ],
    [
      `INSERT INTO triggers (workflow_id, node_id, version_id, type, kind, settings, created_at)
        VALUES ($1, $2, $3, $2, 'webhook', '{}', $4)`,
      [id, HOOK, version_id, at],
    ],
    [
      `INSERT INTO trigger_causes (workflow_id, node_id, cause, run_id) VALUES ($1, $2, 'delivery', $1)`,
      [id, HOOK],
    ],
  ];
  for (const [text, values] of statements) await sql.query({ text, values });
  return id;
}

async function read(sql: SqlClient, id: string): Promise<Stored | undefined> {
  const { rows } = await sql.query<Stored>({
    text: `SELECT t.node_id, v.nodes, v.edges, v.note, v.version_number, v.settings, w.sse_node_config, d.nodes AS draft_nodes
      FROM workflows w JOIN workflow_versions v ON v.id = w.version_id
      JOIN triggers t ON t.workflow_id = w.id AND t.version_id = v.id LEFT JOIN workflow_drafts d ON d.id = w.draft_id
      WHERE w.id = $1`,
    values: [id],
  });
  return rows[0];
}

function suite(open: () => Promise<SqlConnection>): void {
  test('later holders of an address get one of their own and are told; the first keeps it', async () => {
    const database = await open();
    try {
      const { sql } = database;
      await migrate(sql, { log: silent, migrations: ALL.slice(0, AT), replay: true });
      const first = await addWorkflow(sql, '2026-01-01T00:00:00Z');
      const second = await addWorkflow(sql, '2026-01-02T00:00:00Z');
      await migrate(sql, { log: silent });

      expect(await read(sql, first)).toMatchObject({
        node_id: HOOK,
        version_number: 3,
        nodes: textOfNodes(HOOK),
      });
      const moved = await read(sql, second);
      const renewed = moved?.node_id ?? '';
      expect(renewed).toMatch(/^[0-9a-f]{16}$/);
      expect(JSON.parse(moved?.nodes ?? '')).toEqual(
        (JSON.parse(textOfNodes(HOOK)) as { id: string }[]).map((node) =>
          node.id === HOOK ? { ...node, id: renewed } : node,
        ),
      );
      expect(moved?.draft_nodes).toBe(moved?.nodes);
      expect(JSON.parse(moved?.edges ?? '')).toEqual([{ id: 'e', source: renewed, target: 'out' }]);
      expect(moved).toMatchObject({ version_number: 4, note: expect.stringContaining('new address') });
      expect(Object.keys(JSON.parse(moved?.sse_node_config ?? '') as object)).toEqual([renewed]);
      expect(JSON.parse(moved?.settings ?? '')).toMatchObject({
        http_method: 'POST',
        sse_node_config: { [renewed]: { send_start: true } },
      });

      const queryRows = async (text: string) => (await sql.query({ text })).rows;
      expect(await queryRows('SELECT node_id, workflow_id FROM trigger_causes ORDER BY first_at')).toEqual(
        expect.arrayContaining([
          { node_id: HOOK, workflow_id: first },
          { node_id: renewed, workflow_id: second },
        ]),
      );
      expect(
        await queryRows('SELECT node_id, type, workflow_id FROM trigger_addresses ORDER BY node_id'),
      ).toEqual(
        expect.arrayContaining([
          { node_id: HOOK, type: HOOK, workflow_id: first },
          { node_id: renewed, type: HOOK, workflow_id: second },
        ]),
      );
      const [entry] = await queryRows('SELECT action, object_id, details FROM audit_entries');
      expect(entry).toMatchObject({ action: 'workflow.address_renewed', object_id: second });
      expect(entry?.['details']).toContain(renewed);
    } finally {
      await database.close();
    }
  });
}

describe('the migration to unique addresses (embedded)', () => suite(() => openPglite({})));
describeOnPostgres('the migration to unique addresses', () => suite(connectToEmptyPostgres));
