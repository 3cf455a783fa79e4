import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { check, installCounters, type Verdict } from './checker.ts';
import { type Counts, type Fleet, type FleetOptions, startFleet } from './fleet.ts';
import { HURRIED_SECONDS } from './graphs/graphs.ts';
import { kindOf, type StartedKind } from './kinds.ts';
import type { AiServices } from './services/ai.ts';
import { atExit } from './services/cleanup.ts';
import type { Sink } from './services/sink.ts';
import { connect, openFolder, type Sql } from './services/sql.ts';
import type { Storage } from './services/storage.ts';
import { takeoverTimes } from './takeovers.ts';
import type { Trouble } from './trouble.ts';
import {
  type Admitted,
  answerAddress,
  callUntilAnswered,
  cancelUntilAnswered,
  createWorkflows,
  queueRun,
  versionsOf,
  type Workflows,
} from './workload.ts';

export interface Scenario extends Pick<FleetOptions, 'fault_points' | 'redis_url'> {
  /** False for the negative control only. */
  readonly fenced?: false;
  readonly name: string;
  /** Absent: as the product sets it. Only then it is held against the time that is promised. */
  readonly lease_seconds?: number | undefined;
  /** Tells runs of this scenario from those of others in the sink; no hyphen. */
  readonly prefix: string;
  readonly processes: number;
  /** Least number of runs; there are more when the trouble takes longer. */
  readonly runs: number;
  readonly trouble: Trouble;
  /** How often there was trouble, and how often there must be; no more than that is made. */
  readonly strikes: (counts: Counts) => number;
  readonly wanted_strikes: number;
  /** Share of runs that come over HTTP with a key; a part of them is asked for twice at once. */
  readonly over_http: number;
  /** How many of a hundred runs are of which kind. */
  readonly mix: Readonly<Partial<Record<StartedKind, number>>>;
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

/** What all scenarios share. */
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

/** A cancellation finds its run queued, at work, or waiting. */
const LATEST_CANCEL_MS = 600;
/** A call to the address of a run that asks finds it in memory, on its way out of it, or waiting. */
const LATEST_ANSWER_MS = 400;
/** Share of the calls with a key that are sent twice at the same time. */
const CALLED_TWICE = 0.3;
/** How many runs are handed in at once. */
const HANDED_IN_AT_ONCE = 8;
/** Trouble that does not come within this time does not come. */
const LONGEST_MS = 120_000;

/** Fleet options of a database: the same secrets for all processes, regardless of their storage. */
const placeOf = ({ storage, data_dir }: Pick<Prepared, 'storage' | 'data_dir'>) => ({
  data_dir,
  ...(storage ? { database_url: storage.url } : {}),
});

const openStorage = ({ storage, data_dir }: Pick<Prepared, 'storage' | 'data_dir'>): Promise<Sql> =>
  storage ? Promise.resolve(connect(storage.url)) : openFolder(join(data_dir, 'database'));

/** Migrates a database, makes the workflows in it through the API, and installs what the checker counts with. */
export async function prepare({ programs, sink, ai }: Stage, storage?: Storage): Promise<Prepared> {
  const data_dir = mkdtempSync(join(tmpdir(), 'millrace-crash-'));
  atExit(() => rmSync(data_dir, { recursive: true, force: true }));
  const place = { storage, data_dir };
  const calm = await startFleet({ programs, size: 1, ...placeOf(place) });
  await calm.ready();
  const created = await createWorkflows(calm.urls()[0] ?? '', { sink: sink.url, ai });
  await calm.drain();
  const sql = await openStorage(place);
  const workflows = await versionsOf(sql, created);
  await installCounters(sql);
  await sql.close();
  return { ...place, workflows };
}

/** Spread evenly over the numbers, the same in every run of the harness. */
const falls = (number: number, prime: number, share: number) => (number * prime) % 100 < share * 100;

/** Only a process that others share the database with can be asked to cancel what it does not know yet. */
function kindOfRun(number: number, { mix }: Scenario, is_shared: boolean): StartedKind {
  let place = (number * 7919) % 100;
  for (const [kind, share = 0] of Object.entries(mix) as [StartedKind, number?][]) {
    place -= share;
    if (place < 0) return !is_shared && kindOf(kind).queued_only ? 'safe' : kind;
  }
  return 'safe';
}

interface HandIn {
  readonly scenario: Scenario;
  readonly workflows: Workflows;
  readonly fleet: Fleet;
  /** Absent where runs can only be handed in over HTTP. */
  readonly sql: Sql | undefined;
  readonly sink: Sink;
}

/** An address that is not handed on within this time belongs to a run that was given up; the checker says so. */
const ADDRESS_WITHIN_MS = 60_000;

async function answerSoon({ fleet, sink }: Pick<HandIn, 'fleet' | 'sink'>, { label, kind }: Admitted) {
  const door = kindOf(kind).asks;
  if (!door) return undefined;
  const until = performance.now() + ADDRESS_WITHIN_MS;
  while (performance.now() < until) {
    const address = sink.addresses.get(label);
    if (address !== undefined) {
      await sleep(Math.random() * LATEST_ANSWER_MS);
      return answerAddress(fleet, door, address);
    }
    await sleep(50);
  }
  return [];
}

/** Hands runs in over the whole time, so that trouble meets them at every stage. */
async function handIn({ scenario, workflows, fleet, sql, sink }: HandIn): Promise<Admitted[]> {
  const admitted: Admitted[] = [];
  const until = performance.now() + LONGEST_MS;
  let next = 0;
  const isEnough = () =>
    next >= scenario.runs &&
    (scenario.strikes(fleet.counts) >= scenario.wanted_strikes || performance.now() > until);
  const behind: Promise<void>[] = [];
  const cancelSoon = async (kind: StartedKind, run_id: string) => {
    await sleep(Math.random() * LATEST_CANCEL_MS);
    const { workflow_id } = workflows[kind];
    await cancelUntilAnswered(fleet, { workflow_id, token: workflows.token }, run_id);
  };
  const admit = async (run: Admitted) => {
    const answers = await answerSoon({ fleet, sink }, run);
    admitted.push(answers ? { ...run, answers } : run);
  };
  const hand = async () => {
    while (!isEnough()) {
      const number = next++;
      const label = `${scenario.prefix}-${number}`;
      const kind = kindOfRun(number, scenario, sql !== undefined);
      const { keyless, queued_only } = kindOf(kind);
      const may_call = !keyless && !queued_only && falls(number, 104_729, scenario.over_http);
      if (!sql || may_call) {
        const calls = falls(number, 1_299_709, CALLED_TWICE) ? 2 : 1;
        const call = () => callUntilAnswered(fleet, workflows[kind], label);
        const told = await Promise.all(Array.from({ length: calls }, call));
        behind.push(admit({ label, kind, told }));
      } else {
        const run_id = await queueRun(sql, workflows[kind], label);
        behind.push(admit({ label, kind, told: [] }));
        if (kindOf(kind).ends === 'cancelled') behind.push(cancelSoon(kind, run_id));
      }
      await sleep(Math.random() * 20);
    }
  };
  await Promise.all(Array.from({ length: HANDED_IN_AT_ONCE }, hand));
  await Promise.all(behind);
  return admitted;
}

/** Waits until no run is open, or nothing ends any more. */
async function settle(sql: Sql, stall_ms: number): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  let changedAt = performance.now();
  while (performance.now() - changedAt < stall_ms) {
    await sleep(200);
    const open = await sql
      .query<{ count: number }>('SELECT count(*)::int AS count FROM runs WHERE state < 3')
      .then(
        ([row]) => row?.count ?? 0,
        () => Number.POSITIVE_INFINITY,
      );
    if (open === 0) return;
    if (open === least) continue;
    least = open;
    changedAt = performance.now();
  }
}

/** The same for the embedded database, which only its process can be asked about. */
async function settleAlone(fleet: Fleet, token: string, stall_ms: number): Promise<void> {
  let last = '';
  let changedAt = performance.now();
  while (performance.now() - changedAt < stall_ms) {
    await sleep(100);
    const metrics = await fetch(`${fleet.urls()[0]}/metrics`).then(
      (answer) => answer.text(),
      () => '',
    );
    const read = (name: string) => new RegExp(`^millrace_${name} (\\d+)$`, 'm').exec(metrics)?.[1];
    if (read('queued_runs') !== '0' || read('active_runs') !== '0') continue;
    const open = await fetch(`${fleet.urls()[0]}/api/workflows/executions/active`, {
      headers: { authorization: `Bearer ${token}` },
    }).then(
      (answer) => (answer.ok ? (answer.json() as Promise<{ execution_id: string }[]>) : undefined),
      () => undefined,
    );
    if (!open) continue;
    // Those that wait are in no memory.
    if (open.length === 0) return;
    const ids = open.map(({ execution_id }) => execution_id).join();
    if (ids === last) continue;
    last = ids;
    changedAt = performance.now();
  }
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

/** What the product sets. */
const DEFAULT_LEASE_SECONDS = 8;

/** Runs one scenario on a prepared database and judges what it leaves behind. */
export async function runScenario(
  scenario: Scenario,
  { programs, sink }: Stage,
  prepared: Prepared,
): Promise<ScenarioResult> {
  const { fenced, fault_points, redis_url, lease_seconds } = scenario;
  const startedAt = performance.now();
  // Nothing else may open the embedded database while a process has it.
  const live = prepared.storage ? await openStorage(prepared) : undefined;
  const fleet = await startFleet({
    programs,
    size: scenario.processes,
    ...placeOf(prepared),
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
    const trouble = scenario.trouble(fleet, { signal: over.signal, sql: live, lease_ms });
    const hurry = live && setInterval(() => void hurryPauses(live), HURRY_EVERY_MS);
    const watch = setInterval(() => {
      // No more than that, or a slow machine would be struck down faster than it comes to its feet.
      if (scenario.strikes(fleet.counts) >= scenario.wanted_strikes) over.abort();
    }, 20);
    const admitted = await handIn({ scenario, workflows: prepared.workflows, fleet, sql: live, sink });
    if (live) await settle(live, scenario.stall_ms);
    clearInterval(watch);
    clearInterval(hurry);
    over.abort();
    await trouble;
    if (!live) await settleAlone(fleet, prepared.workflows.token, scenario.stall_ms);
    // A paused process may come back after everything has ended; what it does then counts too.
    if (fleet.counts.pauses > 0) await sleep(lease_ms);
    await (live ? fleet.stop() : fleet.drain());
    const sql = live ?? (await openStorage(prepared));
    const verdict = await check(sql, admitted, sink);
    sink.forget();
    const takeovers_ms = await takeoverTimes(sql, fleet.blows);
    await sql.close();
    const seconds = (performance.now() - startedAt) / 1000;
    return { verdict, counts: fleet.counts, takeovers_ms, starts_ms: fleet.starts, seconds };
  } finally {
    await fleet.stop();
    await live?.close().catch(() => undefined);
  }
}
