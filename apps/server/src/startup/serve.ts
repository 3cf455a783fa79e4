import { receivers } from '@millrace/nodes/runtime';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { startClaimedWork } from '../execution/claimed-work/claimed-work.ts';
import { startRunDeletion } from '../execution/ownership/delete-runs.ts';
import { exitWhenFenced } from '../execution/ownership/open-durability.ts';
import { API_INFO } from '../http/documentation.ts';
import { startTelemetry } from '../http/telemetry.ts';
import { startAlerts } from '../resources/alerts/work.ts';
import { BOARD_ROUNDS } from '../resources/boards/rounds/work.ts';
import { EVAL_RUNS } from '../resources/evals/runs/work.ts';
import { REPLAY_JOBS } from '../resources/replay-jobs/work.ts';
import type { Services } from '../services.ts';
import { dailyJobs } from '../triggers/daily/jobs.ts';
import { startDailyJobs } from '../triggers/daily/runner.ts';
import { startAnswers } from '../triggers/deferred/answers.ts';
import { startTriggerReports } from '../triggers/failing-triggers.ts';
import { createTriggerHost } from '../triggers/host/host.ts';
import { announceStart } from '../triggers/platform-events.ts';
import { createApp } from './app.ts';
import { compose } from './compose.ts';
import type { OpeningDatabase } from './compose-database.ts';

/** The time that storing the last records and closing may take beyond the one that running work gets. */
const CLOSING_MS = 10_000;

/** Work that this process repeats. The returned function ends it and waits for what is under way. */
function startJobs(services: Services): () => Promise<unknown> {
  const stops = [
    startDailyJobs(services, dailyJobs(services)),
    startRunDeletion({ sql: services.database.sql, log: services.log }),
    startClaimedWork(services, [REPLAY_JOBS, BOARD_ROUNDS, EVAL_RUNS]),
    startAlerts(services),
    startTriggerReports(services),
    startAnswers(services),
  ];
  return () => Promise.all(stops.map((stop) => stop()));
}

async function endInTurn(
  onBegin: (name: string) => void,
  parts: Readonly<Record<string, () => unknown>>,
): Promise<void> {
  for (const [name, end] of Object.entries(parts)) {
    onBegin(name);
    await end();
  }
}

/** Serves until a signal asks the process to end. */
export async function serve(
  config: Config,
  { log, opening }: { log: Logger; opening: OpeningDatabase },
): Promise<void> {
  const telemetry = await startTelemetry(config);
  const services = await compose(config, log, { ...opening, telemetry });
  const { execution } = services;
  exitWhenFenced(execution.ownership, log);
  const app = await createApp({ services, telemetry });
  await opening.ready;
  await execution.begin();
  const stopJobs = startJobs(services);
  const triggerHost = createTriggerHost({ services, receivers });
  await triggerHost.start();
  await announceStart(services, API_INFO.version);
  const address = await app.listen({ host: config.HOST, port: config.PORT });
  log.info({ address }, 'millrace is serving');

  // In this order nothing that was accepted is lost: no new work, what runs ends or is given back, then the doors close.
  let waiting_for: string | undefined;
  const stop = async () => {
    // A daily job may take minutes, and must not delay that runs are given back.
    const jobsEnd = stopJobs();
    await endInTurn((name) => (waiting_for = name), {
      triggers: () => triggerHost.stop(),
      runs: () => execution.drain(config.DRAIN_SECONDS * 1000),
      jobs: () => jobsEnd,
      requests: () => app.close(),
      services: () => services.close(),
      telemetry: () => telemetry?.stop(),
    });
  };
  let stopping = false;
  const onSignal = (signal: string) => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(
      () => {
        log.error(
          { waiting_for },
          'stopping took too long; remaining runs continue on another process or after the next start',
        );
        process.exit(1);
      },
      config.DRAIN_SECONDS * 1000 + CLOSING_MS,
    ).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'stop failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => onSignal('SIGTERM'));
  process.on('SIGINT', () => onSignal('SIGINT'));
}
