import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { afterAll, afterEach } from 'vitest';
import { createChangeClock, SOLE_PROCESS } from '../adapters/change-clock.ts';
import { openEgress } from '../adapters/egress/open-egress.ts';
import { createDiskStore } from '../adapters/file-store/disk.ts';
import { createMemoryBroadcast } from '../adapters/memory/broadcast.ts';
import { createMemoryStore } from '../adapters/memory/shared-store.ts';
import { openParsers } from '../adapters/parsing/parsers.ts';
import { tableLimiters } from '../adapters/postgres/attempt-limiters.ts';
import { openSandboxes } from '../adapters/sandbox/sandboxes.ts';
import { createVectorIndexes } from '../adapters/vector-index/vector-indexes.ts';
import { type Config, readConfig } from '../config.ts';
import { createLog } from '../core/log/log.ts';
import type { Database } from '../database/database.ts';
import { installationId } from '../database/installation-id.ts';
import { createBudgets } from '../execution/budgets/budgets.ts';
import { createExecution } from '../execution/execution.ts';
import { openDurability } from '../execution/ownership/open-durability.ts';
import { createWaitAddresses } from '../execution/store/waiting/wait-addresses.ts';
import { createTraceWriter } from '../execution/traces/trace-writer.ts';
import { createAgentMemories } from '../resources/agent-memory/run-memories.ts';
import { createRunTables } from '../resources/data-tables/run-tables.ts';
import { createRunFiles } from '../resources/files/run-files.ts';
import { createRunSecrets } from '../resources/run-secrets.ts';
import { createRunSkills } from '../resources/skills/run-skills.ts';
import { createVectorStores } from '../resources/vector-stores/open-store.ts';
import { createWorkflowRules } from '../resources/workflow-rules.ts';
import type { Services } from '../services.ts';
import { createApp } from '../startup/app.ts';
import { findDefects, requireNoDefects } from './defects.ts';
import { openTestDatabase } from './test-database.ts';

/** Settings for tests; settings that are not given have their defaults. */
export function testConfig(env: Record<string, string> = {}): Config {
  return readConfig({ LOG_LEVEL: 'silent', PORT: '0', ...env });
}

export interface TestUser {
  readonly id: string;
  readonly email: string;
  readonly access_token: string;
  readonly refresh_token: string;
  /** Calls the API as this user. */
  call(
    method: string,
    url: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<LightMyRequestResponse>;
}

export interface TestApp {
  readonly app: FastifyInstance;
  readonly services: Services;
  /** The clock that the services read. It stands still; that of a shared application cannot be moved. */
  readonly clock: { now: number };
  /** Registers a fresh user. */
  user(name?: string): Promise<TestUser>;
  /** Calls the API anonymously. */
  call(
    method: string,
    url: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<LightMyRequestResponse>;
  /** Serves on a free port of this machine, for tests that need a socket; its address. */
  listen(): Promise<string>;
  /** Internal errors that were logged since the last call; a test that provokes one takes it, any other one fails. */
  takeDefects(): string[];
  /** @throws Error when an internal error was logged that no test has taken */
  close(): Promise<void>;
}

let counter = 0;

function injectOptions(
  method: string,
  url: string,
  body: unknown,
  headers: Record<string, string>,
): InjectOptions {
  return {
    method: method,
    url,
    headers,
    ...(body === undefined ? {} : { payload: body as Record<string, unknown> }),
    // Each user calls from an address of its own, so that limits per address do not meet in tests.
    remoteAddress:
      headers['x-test-ip'] ?? `10.${(counter >> 16) & 255}.${(counter >> 8) & 255}.${counter & 255}`,
  };
}

export interface TestAppOptions {
  env?: Record<string, string>;
  /** Further variables of the process, few of which sandboxes may see. */
  variables?: Record<string, string>;
  /** Takes every line that is logged, of all levels. */
  onLog?: (line: string) => void;
  database?: Database;
  /** The current one and those before. */
  encryption_keys?: string[];
}

/** The whole application on a database of its own, without a port. */
export async function createTestApp({
  env,
  variables = {},
  onLog,
  database,
  encryption_keys = ['test-encryption-key'],
}: TestAppOptions = {}): Promise<TestApp> {
  const config = testConfig(env);
  const clock = { now: Date.now() };
  const filesFolder = mkdtempSync(join(process.env['TEST_FOLDER'] ?? tmpdir(), 'millrace-test-files-'));
  const defects: string[] = [];
  const log = createLog(onLog ? 'trace' : 'error', {
    write(line) {
      defects.push(...findDefects([line]));
      onLog?.(line);
    },
  });
  const secrets = { secret_key: 'test-secret-key', encryption_keys };
  const ownDatabase = database ?? (await openTestDatabase());
  const broadcast = createMemoryBroadcast();
  // Others can only work on a database that they were given, too.
  const changes = database ? createChangeClock(database) : SOLE_PROCESS;
  const now = () => clock.now;
  const parsers = openParsers();
  const egress = openEgress(config, log);
  const run_secrets = createRunSecrets({ database: ownDatabase, secrets, now, broadcast, changes, egress });
  const vector_indexes = createVectorIndexes(ownDatabase.sql);
  const installation = await installationId(ownDatabase.sql);
  const sandboxes = openSandboxes({
    config,
    env: variables,
    installation,
    parsers,
    log,
    now: Date.now,
  });
  const traces = createTraceWriter({ sql: ownDatabase.sql, run_secrets, log, prices: config.MODEL_PRICES });
  const budgets = createBudgets({ config, database: ownDatabase, broadcast, changes, traces, log, now });
  const core: Omit<Services, 'execution'> = {
    config,
    secrets,
    database: ownDatabase,
    broadcast,
    changes,
    files: createDiskStore(filesFolder),
    parsers,
    egress,
    shared_store: createMemoryStore(() => clock.now),
    attempt_limiters: tableLimiters(ownDatabase.sql),
    run_secrets,
    vector_indexes,
    vector_stores: createVectorStores({
      database: ownDatabase,
      egress,
      run_secrets,
      now,
      vector_indexes,
      traces,
      budgets,
    }),
    run_tables: createRunTables({ database: ownDatabase, now }),
    run_skills: createRunSkills({ database: ownDatabase }),
    agent_memories: createAgentMemories({ database: ownDatabase, now }),
    sandboxes,
    traces,
    budgets,
    log,
    now,
    async close() {
      await sandboxes.close();
      await parsers.close();
      await core.database.close();
    },
  };
  const lease_ms = config.LEASE_SECONDS * 1000;
  const addresses = createWaitAddresses(secrets.secret_key, 'https://test.example');
  const services: Services = {
    ...core,
    execution: createExecution(core, {
      ...openDurability({ ...core, addresses, lease_ms }),
      workflow_rules: createWorkflowRules(core),
      run_files: createRunFiles(core),
    }),
  };
  await services.execution.begin();
  const app = await createApp({ services, checkResponses: true });
  await app.ready();
  const call: TestApp['call'] = (method, url, body, headers = {}) =>
    app.inject(injectOptions(method, url, body, headers));

  let address: Promise<string> | undefined;

  return {
    app,
    services,
    clock,
    call,
    listen: () => (address ??= app.listen({ host: '127.0.0.1', port: 0 })),
    async user(name = 'Test Person') {
      counter += 1;
      const email = `person-${process.pid}-${counter}@example.com`;
      const answer = await call('POST', '/api/auth/register', { email, password: 'Passw0rd!', name });
      if (answer.statusCode !== 201)
        throw new Error(`registering a test user answered ${answer.statusCode}: ${answer.body}`);
      const tokens = answer.json<{ access_token: string; refresh_token: string }>();
      const authorization = `Bearer ${tokens.access_token}`;
      const me = await call('GET', '/api/auth/me', undefined, { authorization });
      return {
        id: me.json<{ id: string }>().id,
        email,
        ...tokens,
        call: (method, url, body, headers = {}) => call(method, url, body, { authorization, ...headers }),
      };
    },
    takeDefects: () => defects.splice(0),
    async close() {
      await services.execution.drain(0);
      await app.close();
      await services.database.close();
      rmSync(filesFolder, { recursive: true, force: true });
      requireNoDefects(defects.splice(0));
    },
  };
}

/** By its settings, for the test files of one process. */
const shared = new Map<string, Promise<TestApp>>();

/**
 * The application that the test files of this process share, one for each set of settings: each test has people,
 * workflows and addresses of its own. Closing it only looks for internal errors in its log. A file that moves the clock, or counts what the whole
 * installation has, takes one of its own.
 */
export async function shareTestApp(env: Record<string, string> = {}): Promise<TestApp> {
  const settings = JSON.stringify(Object.entries(env).sort());
  // A process that stands still for longer than its lease would be dead for all files behind this one.
  const known = shared.get(settings) ?? createTestApp({ env: { LEASE_SECONDS: '60', ...env } });
  shared.set(settings, known);
  const app = await known;
  app.clock.now = Date.now();
  return {
    ...app,
    clock: Object.freeze({ ...app.clock }),
    close: async () => requireNoDefects(app.takeDefects()),
  };
}

/** The shared application, for the top of a test file, where it is awaited. */
export async function useTestApp({ env }: Pick<TestAppOptions, 'env'> = {}): Promise<TestApp> {
  const app = await shareTestApp(env);
  afterEach(() => requireNoDefects(app.takeDefects()));
  return app;
}

/** An application for one test file alone, closed after the last of its tests. For the top of the file. */
export async function useOwnTestApp(options?: TestAppOptions): Promise<TestApp> {
  const app = await createTestApp(options);
  afterEach(() => requireNoDefects(app.takeDefects()));
  afterAll(() => app.close());
  return app;
}
