import { implementations } from '@millrace/nodes/runtime';
import type { Config } from '../config.ts';
import type { Services } from '../core/context.ts';
import { createGate, type Gate } from './admission/gate.ts';
import { createKeyedRuns, type KeyedRuns } from './admission/idempotency.ts';
import { type BackgroundRunner, createBackgroundRunner } from './background-runner.ts';
import { createDescendants } from './descendants.ts';
import type { Journal } from './journal/journal.ts';
import { createRunMetrics } from './metrics.ts';
import type { Ownership } from './ownership/ownership.ts';
import { watchPressure } from './pressure.ts';
import { createAmbient, type RunEnvironment } from './run/environment.ts';
import { createLiveRuns, roomFor } from './run/live-runs.ts';
import { deactivateNodes } from './run/node/disable-node.ts';
import type { RunHandle, RunRequest } from './run/run-request.ts';
import { startRun } from './run/run-workflow.ts';
import { createOpenStreams, type OpenStreams } from './stream/open-streams.ts';
import { createAccessCache } from './workflows/access-cache.ts';
import { createWorkflowCache } from './workflows/workflow-cache.ts';

/** Everything that runs workflows in this process. */
export interface Execution {
  readonly environment: RunEnvironment;
  readonly background: BackgroundRunner;
  readonly keyed: KeyedRuns;
  /** Starts a run. The only way in, whatever the entry point. */
  start(request: RunRequest): RunHandle | Promise<RunHandle>;
  /** Where a request waits for a moment when there is no room for its run just now. */
  readonly gate: Gate;
  /** False while so much is worked on, kept in memory or waiting to be stored that no run may begin. */
  hasRoom(): boolean;
  /** False from the moment on that the process is told to stop. */
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
}

const MEGABYTE = 1024 * 1024;

type Core = Omit<Services, 'execution'>;

function createEnvironment(
  core: Core,
  { journal, ownership }: ExecutionParts,
  config: Config,
): RunEnvironment {
  const { database, broadcast, changes, log, now } = core;
  const live = createLiveRuns();
  const environment: RunEnvironment = {
    workflows: createWorkflowCache({ sql: database.sql, broadcast, changes }),
    access: createAccessCache({ db: database.db, broadcast, changes }),
    journal,
    ownership,
    run_secrets: core.run_secrets,
    egress: core.egress,
    implementations,
    live,
    metrics: createRunMetrics(),
    ambient: createAmbient(now, config.TIMEZONE),
    log,
    now,
    deactivateNodes: (change) => deactivateNodes(core, change),
    start: (request) => startRun(environment, request),
    max_node_executions: config.RUN_MAX_NODE_EXECUTIONS,
    max_run_characters: config.RUN_MAX_SIZE_MB * MEGABYTE,
    descendants: createDescendants({ sql: database.sql, live, most: config.RUN_MAX_DESCENDANTS }),
    public_url: config.PUBLIC_URL?.replace(/\/+$/, ''),
  };
  return environment;
}

const HAND_OVER_MS = 2_000;
/** As many requests may wait as there are places, but not fewer than this. */
const LEAST_QUEUE = 100;

export function createExecution(core: Core, parts: ExecutionParts): Execution {
  const { config, log, database } = core;
  const environment = createEnvironment(core, parts, config);
  const { live, journal, ownership, metrics } = environment;
  const background = createBackgroundRunner({ environment, concurrency: config.RUN_CONCURRENCY });
  const streams = createOpenStreams();
  let isAccepting = true;
  const pressure = watchPressure();
  const room = () => (journal.hasRoom() && !pressure.is_high ? roomFor(live, config.RUN_CONCURRENCY) : 0);
  const gate = createGate({
    room,
    isOpen: () => isAccepting && !pressure.is_high,
    patience_ms: config.RUN_PATIENCE_SECONDS * 1000,
    most_waiting: Math.max(LEAST_QUEUE, config.RUN_CONCURRENCY),
  });
  metrics.watch({ journal, live, gate, sql: database.sql });
  const stopListening = ownership.onCancel((run_id) => live.get(run_id)?.cancel());

  return {
    environment,
    background,
    streams,
    keyed: createKeyedRuns(environment, database.sql),
    start: environment.start,
    gate,
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
      // Those who are left come back to another process and follow from there what goes on there.
      streams.close();
      if (!isDone) {
        log.info({ runs: live.size }, 'runs that did not end in time go on elsewhere');
        for (const session of Array.from(live.all)) session.handOver();
        await live.settled(HAND_OVER_MS);
      }
      await journal
        .drain()
        .catch((error: unknown) => log.error({ err: error }, 'the journal could not be emptied'));
      stopListening();
      pressure.stop();
      await ownership.stop();
      environment.workflows.close();
      environment.access.close();
    },
  };
}
