import { randomUUID } from 'node:crypto';
import type { Ambient } from '@millrace/engine';
import type { Egress, NodeImplementation, PlatformReads } from '@millrace/nodes/runtime';
import type { Logger } from 'pino';
import type { ServerParsers } from '../../ports/parsers.ts';
import type { AgentMemoryStore } from '../../ports/run/agent-memories.ts';
import type { Budgets } from '../../ports/run/budgets.ts';
import type { RunFiles } from '../../ports/run/run-files.ts';
import type { RunSecrets } from '../../ports/run/run-secrets.ts';
import type { RunSkills } from '../../ports/run/run-skills.ts';
import type { RunTables } from '../../ports/run/run-tables.ts';
import type { Traces } from '../../ports/run/traces.ts';
import type { VectorStores } from '../../ports/run/vector-stores.ts';
import type { Sandboxes } from '../../ports/sandbox.ts';
import type { Admit } from '../admission/admission.ts';
import type { Journal } from '../journal/journal.ts';
import type { RunMetrics } from '../metrics.ts';
import type { Ownership } from '../ownership/ownership.ts';
import type { WaitAddresses } from '../store/waiting/wait-addresses.ts';
import type { AccessCache } from '../workflows/access-cache.ts';
import type { WorkflowCache } from '../workflows/workflow-cache.ts';
import type { NodeDeactivation, WorkflowRules } from '../workflows/workflow-rules.ts';
import type { Descendants } from './descendants.ts';
import type { LiveRuns } from './live-runs.ts';
import type { RunHandle, RunRequest } from './start/run-request.ts';

/** The part of everything the process has opened that runs use. */
export interface RunPorts {
  readonly run_secrets: RunSecrets;
  readonly vector_stores: VectorStores;
  readonly run_tables: RunTables;
  readonly run_skills: RunSkills;
  readonly agent_memories: AgentMemoryStore;
  readonly sandboxes: Sandboxes;
  readonly traces: Traces;
  readonly budgets: Budgets;
  readonly egress: Egress;
  readonly parsers: ServerParsers;
  readonly log: Logger;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The environment that every run of this process works with; made once. */
export interface RunEnvironment extends RunPorts {
  readonly workflows: WorkflowCache;
  readonly access: AccessCache;
  readonly journal: Journal;
  readonly ownership: Ownership;
  readonly run_files: RunFiles;
  /** How nodes run, by type. */
  readonly implementations: ReadonlyMap<string, NodeImplementation>;
  readonly addresses: WaitAddresses;
  readonly live: LiveRuns;
  readonly metrics: RunMetrics;
  readonly ambient: Ambient;
  /** Stores `active: false` on the nodes with the label; returns their ids. */
  readonly deactivateNodes: (change: NodeDeactivation) => Promise<readonly string[]>;
  /** Reads of the service itself, limited to what a user can see. */
  readonly createReads: (user_id: string) => PlatformReads;
  /** Publishes an event of a run to workflows; durable when it resolves. */
  readonly publishEvent: WorkflowRules['publishEvent'];
  /** Decides whether a run may start, and stores it. */
  readonly admit: Admit;
  /** Starts an admitted run in this process. */
  readonly start: (request: RunRequest) => RunHandle | Promise<RunHandle>;
  readonly max_node_executions: number;
  /** Of all results of a run together, as JSON text. */
  readonly max_run_characters: number;
  readonly descendants: Descendants;
  readonly public_url: string | undefined;
  /** Whether headers of a proxy in front are believed. */
  readonly behind_proxy: boolean;
}

export function createAmbient(now: () => number, timezone: string): Ambient {
  return { now, timezone, uuid: () => randomUUID().replaceAll('-', ''), random: Math.random };
}
