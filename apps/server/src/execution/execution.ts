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
import { type NoPlace, refusePlace } from './admission/no-place.ts';
import type { WithoutRun } from './admission/record-refusal.ts';
import { watchPressure } from './admission/start/pressure.ts';
import { createStartInPlace } from './admission/start/start-in-place.ts';
import { createStartQueue, type StartQueue } from './admission/start/start-queue.ts';
import type { Journal } from './journal/journal.ts';
import { createRunMetrics, type RunMetrics } from './metrics.ts';
import type { QueuedRun } from './model/queue.ts';
import type { Ownership } from './ownership/ownership.ts';
import { type ReplayWish, replayRun, type StartedReplay } from './replay/replay-run.ts';
import { type BackgroundRunner, createBackgroundRunner } from './run/background-runner.ts';
import { createDescendants } from './run/descendants.ts';
import { errorRunOfGivenUp, errorRunOfTrigger, type FailedTrigger } from './run/end/error-run.ts';
import { createLiveRuns, type LiveRuns, roomFor } from './run/live-runs.ts';
import type { NodePorts } from './run/node/node-needs.ts';
import type { RunCalls } from './run/node/run-calls.ts';
import type { RunKeeping } from './run/run-keeping.ts';
import type { LoggedVault } from './run/secrets/vault.ts';
import { createAmbient } from './run/start/ambient.ts';
import { readPublicAddress } from './run/start/base-url.ts';
import { resumeRun, type StartNeeds, startRun } from './run/start/run-workflow.ts';
import type { WaitAddresses } from './store/waiting/wait-addresses.ts';
import { createOpenStreams, type OpenStreams } from './stream/open-streams.ts';
import { type AccessCache, createAccessCache } from './workflows/access-cache.ts';
import { createWorkflowCache, type WorkflowCache } from './workflows/workflow-cache.ts';
import type { WorkflowRules } from './workflows/workflow-rules.ts';

/** Everything that runs workflows in this process. */
export interface Execution {
  readonly journal: Journal;
  readonly ownership: Ownership;
  /** Runs in the memory of this process. */
  readonly live: LiveRuns;
  readonly workflows: WorkflowCache;
  /** Who may see and run which workflow. */
  readonly access: AccessCache;
  readonly metrics: RunMetrics;
  readonly background: BackgroundRunner;
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
  /** Queues a run with what an earlier one was given. @throws AppError as `replayRun` */
  replay(wish: ReplayWish): Promise<StartedReplay>;
  /** Notes in history that the workflow has no place for the run. @returns the error to say so */
  refusePlace(refused: WithoutRun): NoPlace;
  /** The run that reports a failing trigger; undefined if none is configured. */
  errorRunOfTrigger(failed: FailedTrigger): Promise<QueuedRun | undefined>;
}

export interface ExecutionParts {
  readonly journal: Journal;
  readonly ownership: Ownership;
  readonly addresses: WaitAddresses;
  readonly workflow_rules: WorkflowRules;
  readonly run_files: RunFiles;
}

/** The part of everything the process has opened that execution works with. */
export interface ExecutionNeeds extends Omit<NodePorts, 'run_files'>, LoggedVault {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly config: Config;
  readonly database: Database;
  readonly broadcast: Broadcast;
  readonly changes: ChangeClock;
  readonly shared_store: SharedStore;
}

/** The ports by name: `core` holds more than nodes may use. */
function pickPorts(core: ExecutionNeeds, run_files: RunFiles): NodePorts {
  const { run_tables, run_skills, agent_memories, vector_stores, sandboxes } = core;
  const { parsers, egress, traces, budgets } = core;
  return {
    run_files,
    run_tables,
    run_skills,
    agent_memories,
    vector_stores,
    sandboxes,
    parsers,
    egress,
    traces,
    budgets,
  };
}

function createStartNeeds(core: ExecutionNeeds, parts: ExecutionParts): StartNeeds {
  const { journal, ownership, addresses, workflow_rules } = parts;
  const { config, database, broadcast, changes, shared_store, run_secrets, log, now } = core;
  const live = createLiveRuns();
  const metrics = createRunMetrics();
  const keeping: RunKeeping = { journal, ownership, live, addresses, metrics, run_secrets, log, now };
  const access = createAccessCache({ canSee: workflow_rules.canSee, broadcast, changes });
  const ambient = createAmbient(now, config.TIMEZONE);
  const calls: RunCalls = {
    ...readPublicAddress(config),
    workflows: createWorkflowCache({ sql: database.sql, broadcast, changes }),
    access,
    admit: createAdmit({
      ...keeping,
      access,
      ambient,
      shared_store,
      restrict_test_run: config.RESTRICT_TEST_RUN,
    }),
    start: (request) => startRun(needs, request),
    descendants: createDescendants({ sql: database.sql, live, most: config.RUN_MAX_DESCENDANTS }),
  };
  const needs: StartNeeds = {
    keeping,
    calls,
    nodes: { implementations, ports: pickPorts(core, parts.run_files), workflow_rules },
    ambient,
    max_node_executions: config.RUN_MAX_NODE_EXECUTIONS,
    max_run_characters: config.RUN_MAX_SIZE_MB * MEGABYTE,
  };
  return needs;
}

const HAND_OVER_MS = 2_000;
/** As many requests may wait as there are places, but not fewer than this. */
const LEAST_QUEUE = 100;

/** Runs that did not end in time continue on other processes. */
async function handOverAll({ live, log }: Pick<RunKeeping, 'live' | 'log'>): Promise<void> {
  log.info({ runs: live.size }, 'runs that did not end in time continue elsewhere');
  for (const run of Array.from(live.all)) run.handOver();
  await live.settled(HAND_OVER_MS);
}

/** Subscribes to what the owner of runs asks of this process. Returns the functions that end the subscriptions. */
function listenToOwnership({ keeping, calls }: StartNeeds): (() => void)[] {
  const { ownership, live } = keeping;
  const needs = { ...keeping, ...calls };
  ownership.onGivenUp((run) => errorRunOfGivenUp(needs, run));
  return [
    ownership.onCancel((run_id) => live.get(run_id)?.cancel()),
    ownership.onDecision((run_id) => live.get(run_id)?.lookAtWaits()),
  ];
}

/** How runs that callers wait for are started. */
function prepareCall(core: ExecutionNeeds, { keeping, calls }: StartNeeds, start_queue: StartQueue): Call {
  const { config, database, shared_store } = core;
  const patience_ms = config.RUN_PATIENCE_SECONDS * 1000;
  const start = createStartInPlace({ ...keeping, start: calls.start, patience_ms });
  const keyed = createKeyedRuns({ ...keeping, start }, database.sql);
  return createCall({ ...keeping, admit: calls.admit, start, start_queue, keyed, shared_store });
}

/** Parts used by name, and functions whose dependencies callers do not have. */
function exposeParts({ keeping, calls, ambient }: StartNeeds) {
  const { journal, ownership, live, metrics } = keeping;
  const { workflows, access, admit } = calls;
  const needs = { ...keeping, ...calls, ambient };
  return {
    journal,
    ownership,
    live,
    metrics,
    workflows,
    access,
    admit,
    replay: (wish: ReplayWish) => replayRun(needs, wish),
    refusePlace: (refused: WithoutRun) => refusePlace(keeping, refused),
    errorRunOfTrigger: (failed: FailedTrigger) => errorRunOfTrigger(needs, failed),
  };
}

export function createExecution(core: ExecutionNeeds, parts: ExecutionParts): Execution {
  const { config, log, database } = core;
  const needs = createStartNeeds(core, parts);
  const { keeping, calls } = needs;
  const { live, journal, ownership, metrics } = keeping;
  const { workflows, access } = calls;
  const { RUN_CONCURRENCY: concurrency } = config;
  const background = createBackgroundRunner({
    ...keeping,
    workflows,
    resume: (run, workflow) => resumeRun(needs, run, workflow),
    concurrency,
  });
  const streams = createOpenStreams();
  let isAccepting = true;
  const pressure = watchPressure();
  const room = () => (journal.hasRoom() && !pressure.is_high ? roomFor(live, concurrency) : 0);
  const start_queue = createStartQueue({
    room,
    isOpen: () => isAccepting && !pressure.is_high,
    max_wait_ms: config.RUN_PATIENCE_SECONDS * 1000,
    max_waiting: Math.max(LEAST_QUEUE, concurrency),
  });
  metrics.watch({ journal, live, start_queue, sql: database.sql });
  const listening = listenToOwnership(needs);

  return {
    ...exposeParts(needs),
    background,
    streams,
    call: prepareCall(core, needs, start_queue),
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
      if (!isDone) await handOverAll(keeping);
      await journal
        .drain()
        .catch((error: unknown) => log.error({ err: error }, 'the journal could not be flushed'));
      await core.traces.flush();
      for (const stopListening of listening) stopListening();
      pressure.stop();
      await ownership.stop();
      workflows.close();
      access.close();
    },
  };
}
