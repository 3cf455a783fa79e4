import { MEGABYTE } from '@millrace/engine/units';
import { isUuid } from '../../core/ids.ts';
import { startPolling } from '../../core/polling.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import type { SharedStore } from '../../ports/coordination/shared-store.ts';
import { createMemoryStore } from '../memory/shared-store.ts';

/** Workflow of the values that belong to none. */
const NO_WORKFLOW = '00000000-0000-0000-0000-000000000000';

/** Workflow that a cached answer belongs to. */
function findWorkflowId(key: string): string {
  const [kind, workflow_id = ''] = key.split(':', 2);
  return kind === 'cache' && isUuid(workflow_id) ? workflow_id : NO_WORKFLOW;
}

/** Largest answer that is cached in the database; larger ones cost more to store than to compute. */
const MAX_CHARACTERS = MEGABYTE;
const SWEEP_MS = 60_000;

/**
 * Several processes on one database without a shared store: cached answers (§4.1 rule 7) and what processes have for the
 * event streams of others (§5.6) are shared through an unlogged table, limits apply per process (§8.2).
 */
export function createTableStore(sql: SqlClient, now: () => number): SharedStore {
  const memory = createMemoryStore(now);
  const stopSweeping = startPolling({
    every_ms: SWEEP_MS,
    work: () => sql.query({ text: 'DELETE FROM response_cache WHERE expires_at <= now()' }),
    onError: () => undefined,
  });
  return {
    async get(key) {
      const { rows } = await sql.query<{ outputs: string }>({
        name: 'cache_get',
        text: 'SELECT outputs FROM response_cache WHERE key = $1 AND expires_at > now()',
        values: [key],
      });
      return rows[0]?.outputs;
    },
    async take(key) {
      const { rows } = await sql.query<{ outputs: string; is_over: boolean }>({
        name: 'cache_take',
        text: 'DELETE FROM response_cache WHERE key = $1 RETURNING outputs, expires_at <= now() AS is_over',
        values: [key],
      });
      return rows[0]?.is_over === false ? rows[0].outputs : undefined;
    },
    async set(key, value, ttl_seconds) {
      const workflow_id = findWorkflowId(key);
      if (workflow_id !== NO_WORKFLOW && value.length > MAX_CHARACTERS) return;
      await sql.query({
        name: 'cache_set',
        text: `INSERT INTO response_cache (key, workflow_id, outputs, expires_at)
          VALUES ($1, $2, $3, now() + make_interval(secs => $4))
          ON CONFLICT (key) DO UPDATE SET outputs = excluded.outputs, expires_at = excluded.expires_at`,
        values: [key, workflow_id, value, ttl_seconds],
      });
    },
    async forget(prefix) {
      await sql.query({
        name: 'cache_forget',
        text: 'DELETE FROM response_cache WHERE workflow_id = $1 AND starts_with(key, $2)',
        values: [findWorkflowId(prefix), prefix],
      });
    },
    countInWindow: memory.countInWindow,
    async close() {
      await stopSweeping();
      await memory.close();
    },
  };
}
