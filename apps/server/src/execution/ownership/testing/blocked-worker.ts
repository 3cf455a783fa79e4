// Begins a run, blocks its event loop until a file exists, and then tries to end the run: `blocked-worker.ts <url> <file>`.
import { existsSync } from 'node:fs';
import { createMemoryBroadcast } from '../../../adapters/memory/broadcast.ts';
import { openPostgres } from '../../../adapters/postgres/open.ts';
import { silent } from '../../journal/testing/databases.ts';
import { sampleFinal, sampleRun } from '../../journal/testing/samples.ts';
import { exitWhenFenced, openDurability } from '../open-durability.ts';

const [, , url = '', file = ''] = process.argv;
const { journal, ownership } = openDurability({
  database: openPostgres({ url, log: silent }),
  broadcast: createMemoryBroadcast(),
  log: silent,
  lease_ms: 1_000,
});
exitWhenFenced(ownership, silent);
await ownership.start();
const run = sampleRun();
await journal.begin(run).durable;
process.stdout.write(`${run.run_id}\n`);
await new Promise((resolve) => setTimeout(resolve, 100));
while (!existsSync(file));
process.stdout.write(`effects are ${ownership.leaseIsSafe() ? 'safe' : 'not safe'}\n`);
await journal.finish(run, sampleFinal({ outputs: { by: 'the blocked process' } })).then(
  () => process.stdout.write('written\n'),
  () => undefined,
);
