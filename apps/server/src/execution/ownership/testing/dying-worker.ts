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
const DECISION = { node_id: 'review', iteration: '', decision: 'accepted', data: { approved: true } };
const run = sampleRun();
await journal.begin(run).durable;
process.stdout.write(`${run.run_id}\n`);
journal.record(run.run_id, sampleStep(1));
const wait = sampleWait({ node_id: 'review' });
await journal.wait(run.run_id, wait);
await journal.suspend(run.run_id, [wait]);
await ownership.resume(run.run_id, { ...DECISION, key: wait.key });
