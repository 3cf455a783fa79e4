/**
 * Acknowledgements of webhook deliveries, each after its run is durably queued, beside a bare Fastify that echoes the same JSON,
 * on the same core and in turns. The queued runs are executed meanwhile. `npm run bench -- webhooks [--quick]`. Uses PostgreSQL
 * where it finds one.
 */
import { chain, createBody, signUp, startedByWebhook } from './support/client.ts';
import { compare } from './support/load.ts';
import { createOwnDatabase } from './support/own-database.ts';
import { startEcho, startMillrace } from './support/processes.ts';
import { printTable } from './support/table.ts';

const quick = process.argv.includes('--quick');
const SECONDS = quick ? 3 : 6;
const ROUNDS = quick ? 3 : 5;
const CONNECTIONS = 32;
const BODY = createBody(400);
/** No delivery is refused because many wait. */
const NO_LIMIT = { TRIGGER_QUEUE_LIMIT: '1000000' };

const echo = await startEcho();

async function measure(name: string, env: Record<string, string>): Promise<(string | number)[]> {
  const server = await startMillrace({ env: { ...env, ...NO_LIMIT } });
  await (await signUp(server.url)).workflow(startedByWebhook(chain(1), 'bench'));
  const { yardstick, measured, ratio, cpu_ratio } = await compare(
    {
      yardstick: { server: echo, url: `${echo.url}/echo` },
      measured: { server, url: `${server.url}/api/webhooks/bench` },
    },
    { body: BODY, connections: CONNECTIONS, seconds: SECONDS },
    ROUNDS,
  );
  await server.stop();
  const { per_second, p50_ms, p99_ms, failed } = measured;
  const ratios = [ratio.toFixed(3), cpu_ratio.toFixed(3), (p99_ms / yardstick.p99_ms).toFixed(1)];
  return [name, per_second, yardstick.per_second, ...ratios, p50_ms, p99_ms, failed];
}

const rows = [await measure('embedded', {})];
const own = await createOwnDatabase();
if (own) {
  const keys = { SECRET_KEY: 'bench-secret', ENCRYPTION_KEY: 'bench-encryption' };
  rows.push(await measure('PostgreSQL', { ...keys, DATABASE_URL: own.url }));
  await own.drop();
} else console.log('no PostgreSQL server found; its case is left out');
printTable(
  [
    'acknowledged deliveries',
    'per s',
    'echo per s',
    'of echo',
    'of echo by CPU',
    'p99 : echo',
    'p50 ms',
    'p99 ms',
    'failed',
  ],
  rows,
);
await echo.stop();
