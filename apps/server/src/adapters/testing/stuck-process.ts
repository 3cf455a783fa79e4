// A process that is watched over by its database's thread and hangs in the given way: `stuck-process.ts <how> <folder or url>`.
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { newId } from '../../core/ids.ts';
import { openPglite } from '../pglite/open.ts';
import { openPostgres } from '../postgres/open.ts';

const [, , how = '', place = ''] = process.argv;
const database = place.startsWith('postgres')
  ? openPostgres({ url: place, log: pino({ level: 'silent' }) })
  : await openPglite({ folder: place, thread: true });
const worker_id = newId();
if (database.kind === 'postgres')
  await database.sql.query({
    text: `INSERT INTO workers (id, host, lease_until, engine_version) VALUES ($1, 'test', now() + interval '1 minute', 1)`,
    values: [worker_id],
  });
// The lease is long, so that what ends the process is the guard.
await database.keepLease({ worker_id, lease_ms: 60_000, stuck_ms: 1_000 });
process.on('SIGTERM', () => process.exit(0));
process.stdout.write('ready\n');

function spin(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

switch (how) {
  case 'stuck in a loop':
    spin(Number.POSITIVE_INFINITY);
    break;
  case 'stuck in native code':
    execFileSync('sleep', ['60']);
    break;
  case 'busy':
    for (let round = 0; round < 4; round++) {
      spin(600);
      await sleep(20);
    }
    process.stdout.write('alive\n');
    await sleep(60_000);
    break;
  default:
    throw new Error(`unknown: ${how}`);
}
