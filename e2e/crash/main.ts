// The crash harness: real server processes are killed, paused, blocked and cut off while runs are under way; then everything
// that must be true is checked. The last scenario leaves the fence out and must fail.
//
//   npm run test:crash [-- --size N] [-- --only NAME]
import { parseArgs } from 'node:util';
import { bundlePrograms } from './bundle.ts';
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
  databaseScenario,
  embeddedScenario,
  ordinaryScenarios,
  redisScenario,
} from './scenarios.ts';
import { startRedis } from './services/redis.ts';
import { startSink } from './services/sink.ts';
import { createDatabase, openServer, type StorageServer } from './services/storage.ts';
import { percentile } from './takeovers.ts';

const { values } = parseArgs({ options: { size: { type: 'string' }, only: { type: 'string' } } });
const size = Number(values.size ?? 1);
/** The harness ends by itself, whatever hangs in it. */
const LONGEST_MS = 20 * 60_000 * Math.max(1, size);
setTimeout(() => {
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
  return failuresOf(scenario, result);
}

/** Chance decides where a pause hits; the checker must see it in one of so many tries. */
const CONTROL_TRIES = 3;

/** Everything that needs a database server, each scenario on a copy of one prepared database. */
async function judgeOnServer(stage: Stage, server: StorageServer): Promise<void> {
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
  if (server.crash) failures.push(...(await judgeOnCopy(databaseScenario(size, server.crash))));
  else skip('database crashes', 'no PostgreSQL server can be started here');
  const redis = await startRedis();
  if (redis) failures.push(...(await judgeOnCopy(redisScenario(size, redis))));
  else skip('Redis lost', 'no Redis can be started here');
  await redis?.close();
  let missed: string[] = [];
  for (let tries = 0; tries === 0 || (missed.length > 0 && tries < CONTROL_TRIES); tries++)
    missed = await judgeOnCopy(controlScenario(size));
  failures.push(...missed);
}

async function judgeEmbedded(stage: Stage): Promise<void> {
  const scenario = embeddedScenario(size);
  if (!isWanted(scenario)) return;
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
      `${name}: ${takeovers_ms.length} runs went on after ${at(0.5)} (p50), ${at(0.99)} (p99), ${at(1)} (longest); a process serves ${start} after its start (p50)`,
    );
  }
}

const stage: Stage = { programs: await bundlePrograms(), sink: await startSink() };
console.log(heading());
await judgeEmbedded(stage);
const server = await openServer();
if (server) await judgeOnServer(stage, server);
else skip('everything on a server', 'there is no PostgreSQL');
await server?.close();
console.log(totalOf(results));
tellTimes();

await stage.sink.close();
for (const failure of failures) console.log(`FAILED ${failure}`);
console.log(
  failures.length === 0 ? 'crash harness: everything held' : `crash harness: ${failures.length} failed`,
);
process.exit(failures.length === 0 ? 0 : 1);
