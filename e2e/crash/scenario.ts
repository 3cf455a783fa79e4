import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Counts, type FleetOptions, startFleet } from './fleet.ts';
import { HURRIED_SECONDS } from './graphs/graphs.ts';
import { check, installCounters, type Verdict } from './judging/checker.ts';
import { takeoverTimes } from './judging/takeovers.ts';
import { startAnswering } from './load/answers.ts';
import { type Handed, handIn } from './load/hand-in.ts';
import { settle, settleAlone, untilTidy } from './load/settle.ts';
import { createWorkflows, loadVersions, type Workflows } from './load/workload.ts';
import type { AiServices } from './services/ai.ts';
import { atExit } from './services/cleanup.ts';
import type { Sink } from './services/sink.ts';
import { connect, openFolder, type Sql } from './services/sql.ts';
import type { Storage } from './services/storage.ts';
import type { Trouble } from './trouble.ts';

export interface Scenario extends Handed, Pick<FleetOptions, 'fault_points' | 'redis_url'> {
  /** False for the negative control only. */
  readonly fenced?: false;
  readonly name: string;
  /** Absent: as the product sets it. Only then it is held against the time that is promised. */
  readonly lease_seconds?: number | undefined;
  readonly processes: number;
  readonly trouble: Trouble;
  /** Without any run ending for this long, what is left is lost. */
  readonly stall_ms: number;
  /** A process that starts while the database is away ends with an error, for its supervisor to try again. */
  readonly may_exit?: boolean;
}

export interface ScenarioResult {
  readonly verdict: Verdict;
  readonly counts: Counts;
  /** From a failure to the moment at which another process continued, per run. */
  readonly takeovers_ms: readonly number[];
  readonly starts_ms: readonly number[];
  readonly seconds: number;
}

/** The parts that all scenarios share. */
export interface Stage {
  /** Folder of the bundled programs. */
  readonly programs: string;
  readonly sink: Sink;
  readonly ai: AiServices;
}

/** A database with the workflows and the counters in it: on a server, or in a folder. */
export interface Prepared {
  readonly storage: Storage | undefined;
  readonly data_dir: string;
  readonly workflows: Workflows;
}

/** Fleet options of a database: the same secrets for all processes, regardless of their storage. */
const toFleetOptions = ({ storage, data_dir }: Pick<Prepared, 'storage' | 'data_dir'>) => ({
  data_dir,
  ...(storage ? { database_url: storage.url } : {}),
});

/** A look through whole tables takes its time. */
const JUDGED_WITHIN_MS = 300_000;

/** When no process has it open any more. */
const openStorage = ({ storage, data_dir }: Pick<Prepared, 'storage' | 'data_dir'>): Promise<Sql> =>
  storage ? Promise.resolve(connect(storage.url, JUDGED_WITHIN_MS)) : openFolder(join(data_dir, 'database'));

/** Migrates a database, makes the workflows in it through the API, and installs what the checker counts with. */
export async function prepare({ programs, sink, ai }: Stage, storage?: Storage): Promise<Prepared> {
  const data_dir = mkdtempSync(join(tmpdir(), 'millrace-crash-'));
  atExit(() => rmSync(data_dir, { recursive: true, force: true }));
  const place = { storage, data_dir };
  const calm = await startFleet({ programs, size: 1, ...toFleetOptions(place) });
  await calm.ready();
  const created = await createWorkflows(calm.urls()[0] ?? '', { sink: sink.url, ai });
  await calm.drain();
  const sql = await openStorage(place);
  const workflows = await loadVersions(sql, created);
  await installCounters(sql);
  await sql.close();
  return { ...place, workflows };
}

const HURRY_EVERY_MS = 250;

/** Lets the time of pauses pass: what they wait for is the clock of the database, which cannot be set. */
async function hurryPauses(sql: Sql): Promise<void> {
  await sql
    .query(
      `UPDATE waits SET due_at = now() WHERE decided_at IS NULL AND due_at > now()
       AND (kind = 'upload' OR (kind = 'timer' AND due_at < now() + make_interval(secs => $1::int)))`,
      [HURRIED_SECONDS],
    )
    .catch(() => undefined);
}

/** The value that the product sets. */
const DEFAULT_LEASE_SECONDS = 8;

/** Runs one scenario on a prepared database and judges what it leaves behind. */
export async function runScenario(
  scenario: Scenario,
  { programs, sink, ai }: Stage,
  prepared: Prepared,
): Promise<ScenarioResult> {
  const { fenced, fault_points, redis_url, lease_seconds, spacing } = scenario;
  const startedAt = performance.now();
  // Nothing else may open the embedded database while a process has it.
  const live = prepared.storage && connect(prepared.storage.url);
  const fleet = await startFleet({
    programs,
    size: scenario.processes,
    ...toFleetOptions(prepared),
    ...(lease_seconds === undefined ? {} : { lease_seconds }),
    ...(fenced === false ? { program: 'unfenced' } : {}),
    ...(fault_points ? { fault_points } : {}),
    ...(redis_url ? { redis_url } : {}),
    ...(scenario.may_exit ? { may_exit: true } : {}),
  });
  try {
    await fleet.ready();
    const over = new AbortController();
    const lease_ms = (lease_seconds ?? DEFAULT_LEASE_SECONDS) * 1000;
    const trouble = scenario.trouble(fleet, { signal: over.signal, sql: live, lease_ms, spacing });
    const hurry = live && setInterval(() => void hurryPauses(live), HURRY_EVERY_MS);
    const watch = setInterval(() => {
      // No more than that, or a slow machine would be struck down faster than it comes to its feet.
      if (scenario.strikes(fleet.counts) >= scenario.wanted_strikes) over.abort();
    }, 20);
    const answering = startAnswering(fleet, sink);
    const admitted = await handIn({ scenario, workflows: prepared.workflows, fleet, sql: live, answering });
    if (live) await settle(live, scenario.stall_ms);
    clearInterval(watch);
    clearInterval(hurry);
    over.abort();
    await trouble;
    if (live) await untilTidy(live);
    if (!live) await settleAlone(fleet, prepared.workflows.token, scenario.stall_ms);
    const answers = await answering.end();
    // A paused process may come back after everything has ended; what it does then counts too.
    if (fleet.counts.pauses > 0) await sleep(lease_ms);
    await (live ? fleet.stop() : fleet.drain());
    const sql = await openStorage(prepared);
    const verdict = await check(sql, { admitted, answers, sink, model_calls: ai.model_calls });
    sink.forget();
    ai.forget();
    const takeovers_ms = await takeoverTimes(sql, fleet.blows);
    await sql.close();
    const seconds = (performance.now() - startedAt) / 1000;
    return { verdict, counts: fleet.counts, takeovers_ms, starts_ms: fleet.starts, seconds };
  } finally {
    await fleet.stop();
    await live?.close().catch(() => undefined);
  }
}
