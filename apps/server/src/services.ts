import type { Egress } from '@millrace/nodes/runtime';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { Actor } from './core/actor.ts';
import type { Secrets } from './core/secrets/secrets-file.ts';
import type { Database, Db } from './database/database.ts';
import type { SqlClient } from './database/sql-client.ts';
import type { Execution } from './execution/execution.ts';
import type { LimiterFactory } from './ports/coordination/attempt-limiter.ts';
import type { Broadcast } from './ports/coordination/broadcast.ts';
import type { ChangeClock } from './ports/coordination/change-clock.ts';
import type { SharedStore } from './ports/coordination/shared-store.ts';
import type { FileStore } from './ports/file-store.ts';
import type { ServerParsers } from './ports/parsers.ts';
import type { AgentMemoryStore } from './ports/run/agent-memories.ts';
import type { Budgets } from './ports/run/budgets.ts';
import type { RunSecrets } from './ports/run/run-secrets.ts';
import type { RunSkills } from './ports/run/run-skills.ts';
import type { RunTables } from './ports/run/run-tables.ts';
import type { Traces } from './ports/run/traces.ts';
import type { VectorStores } from './ports/run/vector-stores.ts';
import type { Sandboxes } from './ports/sandbox.ts';
import type { VectorIndexes } from './ports/vector-index.ts';

/** Everything that lives as long as the process and is chosen once, in `startup/compose.ts`. */
export interface Services {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly database: Database;
  readonly broadcast: Broadcast;
  /** Whether others have changed what this process keeps in memory. */
  readonly changes: ChangeClock;
  readonly files: FileStore;
  /** Parses documents outside the event loop. */
  readonly parsers: ServerParsers;
  /** The guarded way out to the network. */
  readonly egress: Egress;
  /** Response cache and limiter windows. */
  readonly shared_store: SharedStore;
  /** Counts attempts to sign in and the like (§8.2). */
  readonly attempt_limiters: LimiterFactory;
  /** Credentials and global variables as runs see them. */
  readonly run_secrets: RunSecrets;
  /** Vector stores as runs see them. */
  readonly vector_stores: VectorStores;
  readonly vector_indexes: VectorIndexes;
  /** Where code of users runs. */
  readonly sandboxes: Sandboxes;
  /** Where calls of models leave their traces. */
  readonly traces: Traces;
  /** Limits on the cost of calls of models. */
  readonly budgets: Budgets;
  /** Data tables as runs see them. */
  readonly run_tables: RunTables;
  /** The library of skills as runs see it. */
  readonly run_skills: RunSkills;
  /** The memory of agents, as runs see it. */
  readonly agent_memories: AgentMemoryStore;
  readonly execution: Execution;
  /** Closes what was opened, the database last. Nothing may run any more. */
  close(): Promise<void>;
  readonly log: Logger;
  /** Epoch milliseconds; tests move it. */
  readonly now: () => number;
}

/** The context that one request works with. A verb states what it needs: `Needs<'db' | 'actor'>`. */
export interface Context {
  readonly db: Db;
  readonly sql: SqlClient;
  readonly actor: Actor;
  readonly config: Config;
  readonly secrets: Secrets;
  readonly broadcast: Broadcast;
  readonly log: Logger;
  readonly now: () => number;
  readonly request_id: string;
  readonly client_ip: string;
}

export type Needs<Keys extends keyof Context> = Pick<Context, Keys>;
