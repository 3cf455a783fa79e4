import { join } from 'node:path';
import type { Logger } from 'pino';
import { createChangeClock } from '../adapters/change-clock.ts';
import { openEgress } from '../adapters/egress/open-egress.ts';
import { createDiskStore } from '../adapters/file-store/disk.ts';
import { createS3Store } from '../adapters/file-store/s3.ts';
import { createMemoryBroadcast } from '../adapters/memory/broadcast.ts';
import { createMemoryStore } from '../adapters/memory/shared-store.ts';
import { openParsers } from '../adapters/parsing/parsers.ts';
import { tableLimiters } from '../adapters/postgres/attempt-limiters.ts';
import { createNotifyBroadcast } from '../adapters/postgres/broadcast.ts';
import { createTableStore } from '../adapters/postgres/table-store.ts';
import { openSandboxes } from '../adapters/sandbox/sandboxes.ts';
import { createVectorIndexes } from '../adapters/vector-index/vector-indexes.ts';
import type { Config } from '../config.ts';
import { loadSecrets } from '../core/secrets/secrets-file.ts';
import { installationId } from '../database/installation-id.ts';
import { createBudgets } from '../execution/budgets/budgets.ts';
import { createExecution } from '../execution/execution.ts';
import { openDurability } from '../execution/ownership/open-durability.ts';
import { createWaitAddresses } from '../execution/store/waiting/wait-addresses.ts';
import { traceModelCalls } from '../execution/traces/model-spans.ts';
import { createTraceWriter } from '../execution/traces/trace-writer.ts';
import type { Telemetry } from '../http/telemetry.ts';
import type { FileStore } from '../ports/file-store.ts';
import { createAgentMemories } from '../resources/agent-memory/run-memories.ts';
import { createRunTables } from '../resources/data-tables/run-tables.ts';
import { createRunFiles } from '../resources/files/run-files.ts';
import { createRunSecrets } from '../resources/run-secrets.ts';
import { createRunSkills } from '../resources/skills/run-skills.ts';
import { createVectorStores } from '../resources/vector-stores/open-store.ts';
import { createWorkflowRules } from '../resources/workflow-rules.ts';
import type { Services } from '../services.ts';
import type { OpeningDatabase } from './compose-database.ts';

function openFiles(config: Config): FileStore {
  if (config.FILE_STORAGE === 'disk') return createDiskStore(join(config.DATA_DIR, 'files'));
  return createS3Store({
    bucket: config.S3_BUCKET ?? '',
    region: config.S3_REGION,
    endpoint: config.S3_ENDPOINT,
    access_key_id: config.S3_ACCESS_KEY_ID,
    secret_access_key: config.S3_SECRET_ACCESS_KEY,
  });
}

type Shared = Pick<Services, 'broadcast' | 'shared_store' | 'attempt_limiters'> & {
  closeShared(): Promise<unknown>;
};

/** Opens what processes share beside the database: Redis where it is configured, else what the database offers. */
async function openShared({
  config,
  database,
  ready,
  log,
  now,
}: Pick<Services, 'config' | 'database' | 'log' | 'now'> & Pick<OpeningDatabase, 'ready'>): Promise<Shared> {
  const isEmbedded = database.kind === 'embedded';
  // Explains better than the first subscription why a server cannot be used; nothing needs its tables earlier.
  if (!isEmbedded) await ready;
  if (config.REDIS_URL) {
    const { createRedisBroadcast, createRedisStore, connectRedis, closeRedis, redisLimiters } = await import(
      '../adapters/redis/index.ts'
    );
    const options = { url: config.REDIS_URL, log };
    const client = connectRedis(options);
    const broadcast = await createRedisBroadcast(options);
    const shared_store = createRedisStore({ ...options, fallback: createMemoryStore(now) });
    const closeShared = async () => {
      await Promise.allSettled([broadcast.close(), shared_store.close()]);
      closeRedis(client);
    };
    return { broadcast, shared_store, attempt_limiters: redisLimiters(client), closeShared };
  }
  const broadcast = isEmbedded ? createMemoryBroadcast() : await createNotifyBroadcast({ database, log });
  const shared_store = isEmbedded ? createMemoryStore(now) : createTableStore(database.sql, now);
  const closeShared = () => Promise.allSettled([broadcast.close(), shared_store.close()]);
  return { broadcast, shared_store, attempt_limiters: tableLimiters(database.sql), closeShared };
}

const buildBaseUrl = ({ PUBLIC_URL, HOST, PORT }: Config): string =>
  PUBLIC_URL?.replace(/\/+$/, '') ?? `http://${HOST}:${PORT}`;

function durabilityFor({ config, database, broadcast, secrets, log }: Omit<Services, 'execution'>) {
  const lease_ms = config.LEASE_SECONDS * 1000;
  return openDurability({
    database,
    broadcast,
    log,
    addresses: createWaitAddresses(secrets.secret_key, buildBaseUrl(config)),
    lease_ms,
    stuck_ms: Math.max(lease_ms, config.DRAIN_SECONDS * 1000),
  });
}

/**
 * Chooses the adapters by the settings; apart from `compose-database.ts`, nothing else knows them. An embedded database
 * may still be opening: nothing here waits for it.
 */
export async function compose(
  config: Config,
  log: Logger,
  { database, ready, telemetry }: OpeningDatabase & { telemetry?: Telemetry | undefined },
): Promise<Services> {
  const secrets = loadSecrets(config);
  const egress = openEgress(config, log);
  const files = openFiles(config);
  const parsers = openParsers();
  const now = Date.now;
  const own = { config, database, log, now };
  const { broadcast, shared_store, attempt_limiters, closeShared } = await openShared({ ...own, ready });
  const changes = createChangeClock(database);
  const run_secrets = createRunSecrets({ database, secrets, now, broadcast, changes, egress });
  const vector_indexes = createVectorIndexes(database.sql);
  const installation = ready.then(() => installationId(database.sql));
  installation.catch(() => undefined);
  const sandboxes = openSandboxes({ config, env: process.env, installation, parsers, log, now });
  const onTrace = telemetry && traceModelCalls(telemetry.tracer);
  const prices = config.MODEL_PRICES;
  const traces = createTraceWriter({ sql: database.sql, run_secrets, log, prices, onTrace });
  const watchers = { traces, budgets: createBudgets({ ...own, broadcast, changes, traces }) };
  const core: Omit<Services, 'execution'> = {
    config,
    secrets,
    database,
    broadcast,
    changes,
    files,
    parsers,
    egress,
    shared_store,
    attempt_limiters,
    run_secrets,
    vector_indexes,
    vector_stores: createVectorStores({ database, egress, run_secrets, now, vector_indexes, ...watchers }),
    run_tables: createRunTables({ database, now }),
    run_skills: createRunSkills({ database }),
    agent_memories: createAgentMemories({ database, now }),
    sandboxes,
    ...watchers,
    log,
    now,
    async close() {
      const parts = [egress, files, sandboxes, parsers, { close: closeShared }];
      await Promise.allSettled(parts.map((part) => part.close()));
      await database.close();
    },
  };
  return {
    ...core,
    execution: createExecution(core, {
      ...durabilityFor(core),
      workflow_rules: createWorkflowRules(core),
      run_files: createRunFiles(core),
    }),
  };
}
