import { MEGABYTE } from '@millrace/engine/units';
import { implementations } from '@millrace/nodes/runtime';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import type { Broadcast } from '../ports/coordination/broadcast.ts';
import type { ChangeClock } from '../ports/coordination/change-clock.ts';
import type { SharedStore } from '../ports/coordination/shared-store.ts';
import type { RunFiles } from '../ports/run/run-files.ts';
import type { Admit } from './admission/admission.ts';
import { createAdmit } from './admission/admit.ts';
import { type Call, createCall } from './admission/call.ts';
import { createKeyedRuns } from './admission/idempotency.ts';
import { watchPressure } from './admission/start/pressure.ts';
import { createStartInPlace } from './admission/start/start-in-place.ts';
import { createStartQueue, type StartQueue } from './admission/start/start-queue.ts';
import type { Journal } from './journal/journal.ts';
import { createRunMetrics } from './metrics.ts';
import type { Ownership } from './ownership/ownership.ts';
import { type BackgroundRunner, createBackgroundRunner } from './run/background-runner.ts';
import { createDescendants } from './run/descendants.ts';
import { errorRunOfGivenUp } from './run/end/error-run.ts';
import { createAmbient, type RunEnvironment, type RunPorts } from './run/environment.ts';
import { createLiveRuns, roomFor } from './run/live-runs.ts';
import { startRun } from './run/start/run-workflow.ts';
import type { WaitAddresses } from './store/waiting/wait-addresses.ts';
import { createOpenStreams, type OpenStreams } from './stream/open-streams.ts';
import { createAccessCache } from './workflows/access-cache.ts';
import { createWorkflowCache } from './workflows/workflow-cache.ts';
import type { WorkflowRules } from './workflows/workflow-rules.ts';

/** Everything that runs workflows in this process. */
export interface Execution {
  readonly environment: RunEnvironment;
  readonly background: BackgroundRunner;
  /** Decides whether a run may start, and stores it. */
  readonly admit: Admit;
  /** Admits calls from outside, and starts their runs. */
  readonly call: Call;
  readonly start_queue: StartQueue;
  /** False while so much is worked on, kept in memory or waiting to be stored that no run may begin. */
  hasRoom(): boolean;
  /** False from the moment that the process is asked to stop. */
  readonly is_accepting: boolean;
  /** Open event streams. */
  readonly streams: OpenStreams;
  begin(): Promise<void>;
  /**
   * Stops in order: claims no more, sends readers of runs elsewhere away, lets runs finish and tells their readers,
   * sends the other readers away, stores what is left, gives the rest back.
   */
  drain(grace_ms: number): Promise<void>;
}

export interface ExecutionParts {
  readonly journal: Journal;
  readonly ownership: Ownership;
  readonly addresses: WaitAddresses;
  readonly workflow_rules: WorkflowRules;
  readonly run_files: RunFiles;
}

/** The part of everything the process has opened that execution works with. */
export interface ExecutionNeeds extends RunPorts {
  readonly config: Config;
  readonly database: Database;
  readonly broadcast: Broadcast;
  readonly changes: ChangeClock;
  readonly shared_store: SharedStore;
}

function createEnvironment(core: ExecutionNeeds, parts: ExecutionParts, config: Config): RunEnvironment {
  const { journal, ownership, workflow_rules } = parts;
  const { database, broadcast, changes, log, now } = core;
  const live = createLiveRuns();
  const metrics = createRunMetrics();
  const access = createAccessCache({ canSee: workflow_rules.canSee, broadcast, changes });
  const ambient = createAmbient(now, config.TIMEZONE);
  const admit = createAdmit({
    access,
    ambient,
    journal,
    metrics,
    log,
    now,
    run_secrets: core.run_secrets,
    shared_store: core.shared_store,
    restrict_test_run: config.RESTRICT_TEST_RUN,
  });
  const environment: RunEnvironment = {
    workflows: createWorkflowCache({ sql: database.sql, broadcast, changes }),
    access,
    journal,
    ownership,
    run_secrets: core.run_secrets,
    run_tables: core.run_tables,
    run_skills: core.run_skills,
    agent_memories: core.agent_memories,
    sandboxes: core.sandboxes,
    traces: core.traces,
    budgets: core.budgets,
    egress: core.egress,
    vector_stores: core.vector_stores,
    run_files: parts.run_files,
    parsers: core.parsers,
    implementations,
    addresses: parts.addresses,
    live,
    metrics,
    ambient,
    log,
    now,
    deactivateNodes: workflow_rules.deactivateNodes,
    createReads: workflow_rules.createReads,
    publishEvent: workflow_rules.publishEvent,
    start: (request) => startRun(environment, request),
    admit,
    max_node_executions: config.RUN_MAX_NODE_EXECUTIONS,
    max_run_characters: config.RUN_MAX_SIZE_MB * MEGABYTE,
    descendants: createDescendants({ sql: database.sql, live, most: config.RUN_MAX_DESCENDANTS }),
    public_url: config.PUBLIC_URL?.replace(/\/+$/, ''),
    behind_proxy: config.TRUST_PROXY_HEADERS.kind !== 'none',
  };
  return environment;
}

const HAND_OVER_MS = 2_000;
/** As many requests may wait as there are places, but not fewer than this. */
const LEAST_QUEUE = 100;

/** Runs that did not end in time continue on other processes. */
async function handOverAll({ live, log }: Pick<RunEnvironment, 'live' | 'log'>): Promise<void> {
  log.info({ runs: live.size }, 'runs that did not end in time continue elsewhere');
  for (const run of Array.from(live.all)) run.handOver();
  await live.settled(HAND_OVER_MS);
}

/** Subscribes to what the owner of runs asks of this process. Returns the functions that end the subscriptions. */
function listenToOwnership(environment: RunEnvironment): (() => void)[] {
  const { ownership, live } = environment;
  ownership.onGivenUp((run) => errorRunOfGivenUp(environment, run));
  return [
    ownership.onCancel((run_id) => live.get(run_id)?.cancel()),
    ownership.onDecision((run_id) => live.get(run_id)?.lookAtWaits()),
  ];
}

/** How runs that callers wait for are started. */
function prepareCall(core: ExecutionNeeds, environment: RunEnvironment, start_queue: StartQueue): Call {
  const { config, database, shared_store } = core;
  const start = createStartInPlace({ ...environment, patience_ms: config.RUN_PATIENCE_SECONDS * 1000 });
  const keyed = createKeyedRuns({ ...environment, start }, database.sql);
  return createCall({ ...environment, start, start_queue, keyed, shared_store });
}

export function createExecution(core: ExecutionNeeds, parts: ExecutionParts): Execution {
  const { config, log, database } = core;
  const environment = createEnvironment(core, parts, config);
  const { live, journal, ownership, metrics } = environment;
  const background = createBackgroundRunner({ environment, concurrency: config.RUN_CONCURRENCY });
  const streams = createOpenStreams();
  let isAccepting = true;
  const pressure = watchPressure();
  const room = () => (journal.hasRoom() && !pressure.is_high ? roomFor(live, config.RUN_CONCURRENCY) : 0);
  const start_queue = createStartQueue({
    room,
    isOpen: () => isAccepting && !pressure.is_high,
    max_wait_ms: config.RUN_PATIENCE_SECONDS * 1000,
    max_waiting: Math.max(LEAST_QUEUE, config.RUN_CONCURRENCY),
  });
  metrics.watch({ journal, live, start_queue, sql: database.sql });
  const listening = listenToOwnership(environment);

  return {
    environment,
    background,
    streams,
    admit: environment.admit,
    call: prepareCall(core, environment, start_queue),
    start_queue,
    hasRoom: () => isAccepting && room() > 0,
    get is_accepting() {
      return isAccepting;
    },
    async begin() {
      await ownership.start();
      background.start();
    },
    async drain(grace_ms) {
      isAccepting = false;
      background.stopClaiming();
      streams.leave((run_id) => live.get(run_id) !== undefined);
      const isDone = await live.settled(grace_ms);
      // The remaining clients reconnect to another process and follow the run there.
      streams.close();
      if (!isDone) await handOverAll(environment);
      await journal
        .drain()
        .catch((error: unknown) => log.error({ err: error }, 'the journal could not be flushed'));
      await core.traces.flush();
      for (const stopListening of listening) stopListening();
      pressure.stop();
      await ownership.stop();
      environment.workflows.close();
      environment.access.close();
    },
  };
}
