// The crash harness: real server processes are killed, paused, blocked and cut off while runs are under way; then everything
// that must be true is checked. Two scenarios run a program with something broken and must fail.
//
//   npm run test:crash [-- --size N] [-- --only NAME] [-- --long] [-- --untimed]
//
// The long mode repeats all scenarios, larger, until 100,000 runs were accepted, or until a round finds something. On a machine
// that does other work too, `--untimed` leaves out how soon runs must continue.
import { parseArgs } from 'node:util';
import { bundlePrograms } from './bundle.ts';
import { typesNeverKilled } from './kinds.ts';
import { failuresOf, heading, rowOf, totalOf } from './report.ts';
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
  databaseScenarios,
  embeddedScenario,
  LONG,
  ordinaryScenarios,
  redisScenario,
  shortSize,
} from './scenarios.ts';
import { startAiServices } from './services/ai.ts';
import { startRedis } from './services/redis.ts';
import { startSink } from './services/sink.ts';
import { createDatabase, openServer, type StorageServer } from './services/storage.ts';
import { percentile } from './takeovers.ts';
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
const factor = Number(values.size ?? 1);
const size = values.long ? LONG : shortSize(factor);
const wanted_runs = values.long ? Number(values.accepted ?? 100_000) : 0;
/** The harness exits after this time, even if something hangs. */
const LONGEST_MS = values.long ? 8 * 60 * 60_000 : 20 * 60_000 * Math.max(1, factor);
const began = performance.now();
setTimeout(() => {
  console.log(totalOf(results));
  console.log(`crash harness: not through after ${LONGEST_MS / 60_000} minutes`);
  process.exit(1);
}, LONGEST_MS).unref();
const failures: string[] = [];
const results: (readonly [Scenario, ScenarioResult])[] = [];
const isWanted = ({ name }: Pick<Scenario, 'name'>) =>
  values.only === undefined || name.includes(values.only);

/** A test that is left out is no test that has passed. */
function skip(what: string, why: string): void {
  console.log(`skipped: ${what}, because ${why}`);
  if (process.env['CI'] === 'true') failures.push(`${what}: skipped`);
}

/** Runs a scenario and prints its row. Resolves to what it proves wrong. */
async function judge(scenario: Scenario, stage: Stage, prepared: Prepared): Promise<string[]> {
  const result = await runScenario(scenario, stage, prepared);
  console.log(rowOf(scenario, result));
  if (scenario.fenced !== false) results.push([scenario, result]);
  const found = failuresOf(scenario, result, !values.untimed);
  // A long round is not over for half an hour.
  if (values.long) for (const failure of found) console.log(`FAILED ${failure}`);
  return found;
}

/** Chance decides where a pause hits; the checker must see it in one of so many tries. */
const CONTROL_TRIES = 3;

/** What every try of a negative control has missed. */
async function untilCaught(control: () => Promise<string[]>): Promise<string[]> {
  let missed: string[] = [];
  for (let tries = 0; tries < CONTROL_TRIES; tries++) {
    missed = await control();
    if (missed.length === 0) break;
  }
  return missed;
}

/** Everything that needs a database server, each scenario on a copy of one prepared database. */
async function judgeOnServer(stage: Stage, server: StorageServer): Promise<void> {
  if (isWanted({ name: 'triggers' }))
    failures.push(...(await judgeTriggers(stage, server, 8 * size.strikes)));
  if (isWanted({ name: 'careless triggers' }))
    failures.push(...(await untilCaught(() => judgeCarelessTriggers(stage, server))));
  const template = await createDatabase(server);
  const prepared = await prepare(stage, template);
  const judgeOnCopy = async (scenario: Scenario): Promise<string[]> => {
    if (!isWanted(scenario)) return [];
    const storage = await createDatabase(server, template);
    const found = await judge(scenario, stage, { ...prepared, storage });
    await storage.close();
    return found;
  };
  for (const scenario of ordinaryScenarios(size)) failures.push(...(await judgeOnCopy(scenario)));
  if (!server.faults) skip('database crashes', 'no PostgreSQL server can be started here');
  for (const scenario of server.faults ? databaseScenarios(size, server.faults) : [])
    failures.push(...(await judgeOnCopy(scenario)));
  const redis = await startRedis();
  if (redis) failures.push(...(await judgeOnCopy(redisScenario(size, redis))));
  else skip('Redis lost', 'no Redis can be started here');
  await redis?.close();
  failures.push(...(await untilCaught(() => judgeOnCopy(controlScenario(size)))));
}

async function judgeEmbedded(stage: Stage): Promise<void> {
  const scenario = embeddedScenario(size);
  if (!isWanted(scenario)) return;
  // A folder of its own each time, for the checker counts everything that it finds.
  const prepared = await prepare(stage);
  failures.push(...(await judge(scenario, stage, prepared)));
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
const sink = await startSink();
const stage: Stage = { programs: await bundlePrograms(), sink, ai: await startAiServices(sink) };
console.log(heading());
const server = await openServer();
let rounds = 0;
let before = 0;
do {
  rounds += 1;
  before = acceptedRuns();
  await judgeEmbedded(stage);
  if (server) await judgeOnServer(stage, server);
  else skip('everything on a server', 'there is no PostgreSQL');
  // The negative controls alone are never enough.
} while (acceptedRuns() > before && acceptedRuns() < wanted_runs && failures.length === 0);
await server?.close();
console.log(totalOf(results));
if (values.long) {
  const minutes = (performance.now() - began) / 60_000;
  console.log(`${acceptedRuns()} accepted runs in ${rounds} rounds and ${minutes.toFixed(0)} minutes`);
}
tellTimes();

await stage.sink.close();
await stage.ai.close();
for (const failure of failures) console.log(`FAILED ${failure}`);
console.log(
  failures.length === 0 ? 'crash harness: everything held' : `crash harness: ${failures.length} failed`,
);
process.exit(failures.length === 0 ? 0 : 1);
