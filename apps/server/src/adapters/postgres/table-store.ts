import { MEGABYTE } from '@millrace/engine/units';
import { isUuid } from '../../core/ids.ts';
import { startPolling } from '../../core/polling.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import type { SharedStore } from '../../ports/coordination/shared-store.ts';
import { createMemoryStore } from '../memory/shared-store.ts';

/** Workflow that a cached answer belongs to; other values stay in the process. */
function findWorkflowId(key: string): string | undefined {
  const [kind, workflow_id = ''] = key.split(':', 2);
  return kind === 'cache' && isUuid(workflow_id) ? workflow_id : undefined;
}

/** Largest answer that is cached in the database; larger ones cost more to store than to compute. */
const MAX_CHARACTERS = MEGABYTE;
const SWEEP_MS = 60_000;

/**
 * Several processes on one database without a shared store: cached answers are shared through an unlogged table
 * (§4.1 rule 7), limits apply per process (§8.2).
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
      if (!findWorkflowId(key)) return memory.get(key);
      const { rows } = await sql.query<{ outputs: string }>({
        name: 'cache_get',
        text: 'SELECT outputs FROM response_cache WHERE key = $1 AND expires_at > now()',
        values: [key],
      });
      return rows[0]?.outputs;
    },
    async set(key, value, ttl_seconds) {
      const workflow_id = findWorkflowId(key);
      if (!workflow_id) return memory.set(key, value, ttl_seconds);
      if (value.length > MAX_CHARACTERS) return;
      await sql.query({
        name: 'cache_set',
        text: `INSERT INTO response_cache (key, workflow_id, outputs, expires_at)
          VALUES ($1, $2, $3, now() + make_interval(secs => $4))
          ON CONFLICT (key) DO UPDATE SET outputs = excluded.outputs, expires_at = excluded.expires_at`,
        values: [key, workflow_id, value, ttl_seconds],
      });
    },
    async forget(prefix) {
      await memory.forget(prefix);
      const workflow_id = findWorkflowId(prefix);
      if (workflow_id)
        await sql.query({ text: 'DELETE FROM response_cache WHERE workflow_id = $1', values: [workflow_id] });
    },
    countInWindow: memory.countInWindow,
    async close() {
      await stopSweeping();
      await memory.close();
    },
  };
}
