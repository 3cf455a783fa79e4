// A process whose run pauses and whose wait is decided, and which the armed fault point ends on the way: `dying-worker.ts <url>`.
import { createMemoryBroadcast } from '../../../adapters/memory/broadcast.ts';
import { openPostgres } from '../../../adapters/postgres/open.ts';
import { silent } from '../../journal/testing/databases.ts';
import { sampleRun, sampleStep, sampleWait } from '../../journal/testing/samples.ts';
import { openDurability } from '../open-durability.ts';

const { journal, ownership } = openDurability({
  database: openPostgres({ url: process.argv[2] ?? '', log: silent }),
  broadcast: createMemoryBroadcast(),
  log: silent,
  lease_ms: 1_000,
});
await ownership.start();
const run = sampleRun();
await journal.begin(run).durable;
process.stdout.write(`${run.run_id}\n`);
await journal.suspend(run, [sampleWait({ node_id: 'review' })], [sampleStep(1)]);
await ownership.resume(run.run_id, { node_id: 'review', iteration: '', result: { approved: true } });
