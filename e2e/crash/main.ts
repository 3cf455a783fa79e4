// The crash harness: real server processes are killed, paused, blocked and cut off while runs are under way; then everything
// that must be true is checked. Two scenarios run a program with something broken and must fail.
//
//   npm run test:crash [-- --size N] [-- --only NAME] [-- --long] [-- --untimed]
//
// The long mode repeats all scenarios, larger, until 100,000 runs were accepted, or until a round finds something. On a machine
// that does other work too, `--untimed` leaves out how soon runs must continue.
import { parseArgs } from 'node:util';
import { describeFailures, formatRow, formatTotal, heading } from './judging/report.ts';
import { percentile } from './judging/takeovers.ts';
import { typesNeverKilled } from './kinds.ts';
import {
  type Prepared,
  prepare,
  runScenario,
  type Scenario,
  type ScenarioResult,
  type Stage,
} from './scenario.ts';
import {
  controlScenario,
  DATABASE_SCENARIOS,
  embeddedScenario,
  LONG,
  type OnServer,
  ordinaryScenarios,
  redisScenario,
  shortSize,
} from './scenarios.ts';
import { startRedis } from './services/redis.ts';
import type { StorageServer } from './services/storage.ts';
import { openStations, type Station, workThrough } from './stations.ts';
import { judgeCarelessTriggers, judgeTriggers } from './triggers.ts';

const { values } = parseArgs({
  options: {
    size: { type: 'string' },
    only: { type: 'string' },
    long: { type: 'boolean', default: false },
    accepted: { type: 'string' },
    untimed: { type: 'boolean', default: false },
  },
});
/** Processes that are dead or wait for a lease leave half of two processors idle. A long round tests load and uses one. */
const AT_ONCE = 2;
const factor = Number(values.size ?? 1);
const size = values.long ? LONG : shortSize(factor);
const wanted_runs = values.long ? Number(values.accepted ?? 100_000) : 0;
/** The harness exits after this time, even if something hangs. */
const LONGEST_MS = values.long ? 8 * 60 * 60_000 : 20 * 60_000 * Math.max(1, factor);
const began = performance.now();
setTimeout(() => {
  console.log(formatTotal(results));
  console.log(`crash harness: not through after ${LONGEST_MS / 60_000} minutes`);
  process.exit(1);
}, LONGEST_MS).unref();
const failures: string[] = [];
const results: (readonly [Scenario, ScenarioResult])[] = [];
const isWanted = ({ name }: Pick<Scenario, 'name'>) =>
  values.only === undefined || name.includes(values.only);

/** A machine with Node and git alone has no PostgreSQL and no Redis; what needs them is skipped by name there, and fails in CI. */
function skip(what: string, why: string): string[] {
  console.log(`skipped: ${what}, because ${why}`);
  return process.env['CI'] === 'true' ? [`${what}: skipped`] : [];
}

/** Runs a scenario and prints its row. Resolves to what it proves wrong. */
async function judge(scenario: Scenario, stage: Stage, prepared: Prepared): Promise<string[]> {
  const result = await runScenario(scenario, stage, prepared);
  console.log(formatRow(scenario, result));
  if (scenario.fenced !== false) results.push([scenario, result]);
  const found = describeFailures(scenario, result, !values.untimed);
  // A long round is not over for half an hour.
  if (values.long) for (const failure of found) console.log(`FAILED ${failure}`);
  return found;
}

/** Chance decides where a pause hits; the checker must see it in one of so many tries. */
const CONTROL_TRIES = 3;

/** The faults that every try of a negative control has missed. */
async function untilCaught(control: () => Promise<string[]>): Promise<string[]> {
  let missed: string[] = [];
  for (let tries = 0; tries < CONTROL_TRIES; tries++) {
    missed = await control();
    if (missed.length === 0) break;
  }
  return missed;
}

type Work = (station: Station) => Promise<string[]>;

const onCopy =
  (scenario: Scenario): Work =>
  ({ stage, withCopy }) =>
    withCopy((prepared) => judge(scenario, stage, prepared));

/** On the server of the station. Nothing was judged without one, which must not look like nothing wrong. */
const onServer =
  (judgeOn: (stage: Stage, server: StorageServer) => Promise<string[]>): Work =>
  async ({ stage, server }) => {
    if (!server) throw new Error('there is no server to judge triggers on');
    return judgeOn(stage, server);
  };

const onRedis: Work = async (station) => {
  const redis = await startRedis();
  if (!redis) return skip('Redis lost', 'no Redis can be started here');
  try {
    return await onCopy(redisScenario(size, redis))(station);
  } finally {
    await redis.close();
  }
};

/** The server is struck as well, so the station must not share it. */
const onStruckServer =
  (name: string, scenarioWith: OnServer): Work =>
  (station) => {
    const { faults } = station.server ?? {};
    if (!faults) return Promise.resolve(skip(name, 'no PostgreSQL server can be started here'));
    return onCopy({ ...scenarioWith(size, faults), name })(station);
  };

const onEmbedded: Work = async ({ stage }) =>
  // A folder of its own each time, for the checker counts everything that it finds.
  judge(embeddedScenario(size), stage, await prepare(stage));

/** Everything, by name: what takes longest first, so that no station is left waiting at the end. */
function wholeWork(server: StorageServer | undefined): [name: string, work: Work][] {
  const embedded: [string, Work] = [embeddedScenario(size).name, onEmbedded];
  if (!server) return [embedded];
  return [
    ['triggers', onServer((stage, own) => judgeTriggers(stage, own, 8 * size.strikes))],
    ['careless triggers', onServer((stage, own) => untilCaught(() => judgeCarelessTriggers(stage, own)))],
    embedded,
    ...ordinaryScenarios(size).map((scenario): [string, Work] => [scenario.name, onCopy(scenario)]),
    ...Object.entries(DATABASE_SCENARIOS).map(([name, scenarioWith]): [string, Work] => [
      name,
      onStruckServer(name, scenarioWith),
    ]),
    ['Redis lost', onRedis],
    [controlScenario(size).name, (station) => untilCaught(() => onCopy(controlScenario(size))(station))],
  ];
}

/** The figures in which others are behind: how long runs of a dead process stand still. */
function tellTimes(): void {
  for (const [{ name, lease_seconds }, { takeovers_ms, starts_ms }] of results) {
    if (lease_seconds !== undefined || takeovers_ms.length === 0) continue;
    const at = (share: number) => `${((percentile(takeovers_ms, share) ?? 0) / 1000).toFixed(1)} s`;
    const start = `${((percentile(starts_ms, 0.5) ?? 0) / 1000).toFixed(1)} s`;
    console.log(
      `${name}: ${takeovers_ms.length} runs continued after ${at(0.5)} (p50), ${at(0.99)} (p99), ${at(1)} (longest); a process serves ${start} after its start (p50)`,
    );
  }
}

const acceptedRuns = () => results.reduce((sum, [, { verdict }]) => sum + verdict.accepted, 0);

for (const type of typesNeverKilled())
  failures.push(`no run of the harness has the node ${type}, which has steps`);
const stations = await openStations(values.long ? 1 : AT_ONCE);
console.log(heading());
const [server] = stations.map((station) => station.server);
if (!server) failures.push(...skip('everything on a server', 'there is no PostgreSQL'));
const work = wholeWork(server).flatMap(([name, judgeIt]) => (isWanted({ name }) ? [judgeIt] : []));
let rounds = 0;
let before = 0;
try {
  do {
    rounds += 1;
    before = acceptedRuns();
    failures.push(...(await workThrough(stations, work)));
    // The negative controls alone are never enough.
  } while (acceptedRuns() > before && acceptedRuns() < wanted_runs && failures.length === 0);
} finally {
  for (const closed of await Promise.allSettled(stations.map((station) => station.close())))
    if (closed.status === 'rejected')
      failures.push(`a station could not be closed: ${String(closed.reason)}`);
}
console.log(formatTotal(results));
if (values.long) {
  const minutes = (performance.now() - began) / 60_000;
  console.log(`${acceptedRuns()} accepted runs in ${rounds} rounds and ${minutes.toFixed(0)} minutes`);
}
tellTimes();

for (const failure of failures) console.log(`FAILED ${failure}`);
console.log(
  failures.length === 0 ? 'crash harness: everything held' : `crash harness: ${failures.length} failed`,
);
process.exit(failures.length === 0 ? 0 : 1);
