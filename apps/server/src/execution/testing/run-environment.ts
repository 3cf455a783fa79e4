import {
  compileWorkflow,
  type JsonObject,
  MAX_RUN_CHARACTERS,
  type WorkflowDocument,
} from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import {
  type Egress,
  implementations,
  type NodeImplementation,
  type PlatformReads,
} from '@millrace/nodes/runtime';
import { type Logger, pino } from 'pino';
import { createMemoryStore } from '../../adapters/memory/shared-store.ts';
import { openParsers } from '../../adapters/parsing/parsers.ts';
import { notFound } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import type { SharedStore } from '../../ports/coordination/shared-store.ts';
import type { RunFiles } from '../../ports/run/run-files.ts';
import { NO_SECRETS, type RunSecrets } from '../../ports/run/run-secrets.ts';
import type { RunSkills } from '../../ports/run/run-skills.ts';
import type { RunTables } from '../../ports/run/run-tables.ts';
import type { Traces } from '../../ports/run/traces.ts';
import type { Sandboxes } from '../../ports/sandbox.ts';
import { graph } from '../../resources/executions/testing/workflows.ts';
import { createAdmit } from '../admission/admit.ts';
import { createRunMetrics } from '../metrics.ts';
import type { RunExecutor } from '../run/executor/run-executor.ts';
import { createLiveRuns } from '../run/live-runs.ts';
import type { NodeNeeds } from '../run/node/node-needs.ts';
import type { RunCalls } from '../run/node/run-calls.ts';
import type { RunKeeping } from '../run/run-keeping.ts';
import { createAmbient } from '../run/start/ambient.ts';
import type { RunRequest } from '../run/start/run-request.ts';
import { type StartNeeds, startRun } from '../run/start/run-workflow.ts';
import { createWaitAddresses } from '../store/waiting/wait-addresses.ts';
import type { PublishedWorkflow, WorkflowSettings } from '../workflows/published-workflow.ts';
import { createMemoryJournal, type MemoryJournal } from './memory-journal.ts';

const noTable = () => Promise.reject(notFound('Data table'));
const noTables = { of: () => ({ find: noTable, count: noTable, read: noTable, write: noTable }) };
const noMemories = {
  sharedWith: () => Promise.resolve([]),
  read: () => Promise.resolve({ nodes: [], edges: [] }),
  merge: () => Promise.reject(new Error('no memories in this test')),
};
const noSandboxes: Sandboxes = {
  of: () => ({
    run: () => Promise.reject(new Error('no sandbox in this test')),
    state: () => Promise.resolve({ status: 'unavailable', problem: 'no sandbox in this test' }),
    close: () => Promise.resolve(),
  }),
  scripts: {
    runScript: () => Promise.reject(new Error('no sandbox in this test')),
    dropWorkspace: () => Promise.resolve(),
  },
  programs: { startProgram: () => Promise.reject(new Error('no sandbox in this test')) },
  close: () => Promise.resolve(),
};
const noFile = () => Promise.reject(new Error('no files in this test'));
const noFiles: RunFiles = {
  of: () => ({
    store: noFile,
    list: noFile,
    find: noFile,
    open: noFile,
    remove: noFile,
    changeLink: noFile,
    shareWithTeams: noFile,
    convert: noFile,
    pages: noFile,
  }),
};

const noReads: PlatformReads = {
  listWorkflows: () => Promise.resolve({ workflows: [], total: 0 }),
  workflow: () => Promise.resolve(undefined),
  countRuns: () => Promise.resolve(undefined),
};

/** A person without credentials and variables. */
export const noRunSecrets: RunSecrets = {
  getSecrets: () => NO_SECRETS,
  credentialsByName: () => Promise.resolve(new Map()),
  credentialById: () => Promise.resolve(undefined),
  globalVariables: () => Promise.resolve({ values: {}, shown: {}, secrets: [] }),
  setGlobalVariable: () => Promise.resolve(),
  refusesGlobal: () => undefined,
  sealGlobal: (value) => JSON.stringify(value),
  seal: (text) => Buffer.from(text).toString('base64'),
  open: (sealed) => Buffer.from(sealed, 'base64').toString(),
};

/** The needs of runs, and the parts of `keeping` and `calls` by their own names. */
export interface TestEnvironment extends StartNeeds, RunKeeping, RunCalls {
  readonly journal: MemoryJournal;
  /** Makes a workflow known under an id of its own. */
  publish(document: WorkflowDocument, settings?: Partial<WorkflowSettings>): PublishedWorkflow;
  /** Where admission keeps answers and counts calls. */
  readonly shared_store: SharedStore;
  /** Workflows that no user may see. */
  readonly hidden: Set<string>;
}

export interface TestEnvironmentOptions {
  readonly egress?: Egress;
  readonly run_secrets?: RunSecrets;
  readonly traces?: Traces;
  readonly max_node_executions?: number;
  readonly max_descendants?: number;
  readonly log?: Logger;
  readonly run_files?: RunFiles;
  /** Starts programs in containers. */
  readonly startProgram?: Sandboxes['programs']['startProgram'];
  readonly run_tables?: RunTables;
  readonly run_skills?: RunSkills;
  /** Replaces how nodes of a type run. */
  readonly nodes?: Record<string, NodeImplementation['run']>;
}

function implementationsWith(nodes: Record<string, NodeImplementation['run']>) {
  const replaced = new Map(implementations);
  for (const [type, run] of Object.entries(nodes)) {
    const known = replaced.get(type);
    if (known) replaced.set(type, { ...known, run });
  }
  return replaced;
}

const noNetwork = () => Promise.reject(new Error('no network in this test'));
const refusingEgress: Egress = { request: noNetwork, connect: noNetwork, resolveAddresses: noNetwork };

function createNodes(options: TestEnvironmentOptions): NodeNeeds {
  return {
    implementations: implementationsWith(options.nodes ?? {}),
    ports: {
      run_files: options.run_files ?? noFiles,
      run_tables: options.run_tables ?? noTables,
      run_skills: options.run_skills ?? { read: () => Promise.resolve('no_skill') },
      agent_memories: noMemories,
      vector_stores: { open: () => Promise.resolve(undefined) },
      sandboxes: options.startProgram
        ? { ...noSandboxes, programs: { startProgram: options.startProgram } }
        : noSandboxes,
      parsers: openParsers(),
      egress: options.egress ?? refusingEgress,
      traces: options.traces ?? { note: () => undefined, flush: () => Promise.resolve() },
      budgets: { require: () => Promise.resolve(), requireLeft: () => Promise.resolve() },
    },
    workflow_rules: {
      deactivateNodes: () => Promise.resolve([]),
      createReads: () => noReads,
      publishEvent: () => Promise.reject(new Error('nothing is published here')),
    },
  };
}

/** Everything a run needs, in memory and with the real clock. */
export function createTestEnvironment(options: TestEnvironmentOptions = {}): TestEnvironment {
  const published = new Map<string, PublishedWorkflow>();
  const hidden = new Set<string>();
  const most = options.max_descendants ?? 1_000;
  const ambient = createAmbient(Date.now, 'UTC');
  const shared_store = createMemoryStore(Date.now);
  const journal = createMemoryJournal();
  const keeping = {
    journal,
    ownership: journal.ownership,
    live: createLiveRuns(),
    addresses: createWaitAddresses('test', 'https://test'),
    metrics: createRunMetrics(),
    run_secrets: options.run_secrets ?? noRunSecrets,
    log: options.log ?? pino({ level: 'silent' }),
    now: Date.now,
  };
  const access: TestEnvironment['access'] = { has: (id) => !hidden.has(id), close: () => undefined };
  const calls: RunCalls = {
    workflows: {
      published: (id) => published.get(id),
      draft: (id) => Promise.resolve(published.get(id)),
      pinned: (id) => Promise.resolve(published.get(id)),
      size: () => ({ workflows: published.size, bytes: 0 }),
      close: () => undefined,
    },
    access,
    admit: createAdmit({ ...keeping, access, ambient, shared_store, restrict_test_run: false }),
    start: (request) => startRun(environment, request),
    descendants: { most, mayStartDescendant: (root) => journal.openDescendants(root) < most },
    public_url: undefined,
    behind_proxy: false,
  };
  const environment: TestEnvironment = {
    keeping,
    calls,
    nodes: createNodes(options),
    ambient,
    max_node_executions: options.max_node_executions ?? 10_000,
    max_run_characters: MAX_RUN_CHARACTERS,
    ...keeping,
    ...calls,
    shared_store,
    hidden,
    publish(document, settings = {}) {
      const id = newId();
      const version_id = newId();
      const workflow: PublishedWorkflow = {
        settings: {
          id,
          name: 'Test',
          owner_id: newId(),
          version_id,
          auth_type: 'anonymous',
          auth_header_key: undefined,
          auth_header_value: undefined,
          http_method: 'POST',
          cache_ttl_seconds: 0,
          rate_limit: undefined,
          portal_rate_limit: undefined,
          sse_node_config: new Map(),
          description: '',
          timeout_ms: undefined,
          run_budget_usd: undefined,
          daily_budget_usd: undefined,
          concurrency_limit: undefined,
          concurrency_key: undefined,
          queue_limit: undefined,
          queue_overflow: 'refuse',
          priority: 0,
          strict_references: false,
          error_workflow_id: undefined,
          active: true,
          reported_ends: new Set(),
          ...settings,
        },
        version: {
          id: version_id,
          workflow_id: id,
          number: 1,
          graph: compileWorkflow(document, catalog),
          graph_hash: JSON.stringify(document),
          upload_trigger: undefined,
          typed_inputs: [],
          reads_globals: JSON.stringify(document).includes('$global'),
          bytes: 1,
        },
      };
      published.set(id, workflow);
      return workflow;
    },
  };
  return environment;
}

/** A call of a workflow with a body. */
export function createRequest(
  workflow: PublishedWorkflow,
  body: JsonObject = {},
  more: Partial<RunRequest> = {},
): RunRequest {
  return {
    workflow,
    input: { headers: {}, query: {}, body },
    trigger_source: 'API',
    run_as: workflow.settings.owner_id,
    ...more,
  };
}

/** Answers with the text that it was given. */
export const ECHO = graph(
  [
    ['start', 'textInput'],
    ['shape', 'set', { mappings: [{ key: 'text', value: '$input.text' }] }],
    ['out', 'output', { message: '$shape.text' }],
  ],
  ['start>shape', 'shape>out'],
);

/** Waits and then answers with the text that it was given. */
export const waiting = (duration: number) =>
  graph(
    [
      ['start', 'textInput'],
      ['pause', 'wait', { duration }],
      ['out', 'output', { message: '$start.text' }],
    ],
    ['start>pause', 'pause>out'],
  );

/** Kinds of rows that the journal has of a run, in order. */
export const statuses = (environment: TestEnvironment, run_id: string) =>
  environment.journal.runs.get(run_id)?.records.map((record) => `${record.node_id}:${record.type}`);

/** Starts a document with the body `{text: 'hi'}`. */
export async function start(environment: TestEnvironment, document = ECHO, more = {}) {
  return (await environment.start(
    createRequest(environment.publish(document), { text: 'hi' }, more),
  )) as RunExecutor;
}

export const turn = (ms = 5) => new Promise((resolve) => setTimeout(resolve, ms));
