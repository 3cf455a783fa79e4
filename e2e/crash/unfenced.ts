// The product without its fence, for the negative control: a process believes in its lease for ever, and what it writes is
// not checked against it.
import { createApp } from '../../apps/server/src/app.ts';
import { compose } from '../../apps/server/src/compose.ts';
import { openDatabase } from '../../apps/server/src/compose-database.ts';
import { readConfig } from '../../apps/server/src/config.ts';
import { createLog } from '../../apps/server/src/core/log.ts';
import { createExecution } from '../../apps/server/src/execution/execution.ts';
import { openDurability } from '../../apps/server/src/execution/ownership/open-durability.ts';

const config = readConfig(process.env);
const log = createLog(config.LOG_LEVEL);
const composed = await compose(config, log, await openDatabase(config, log));
const { database, broadcast } = composed;
const { journal, ownership } = openDurability({
  database,
  broadcast,
  log,
  fenced: false,
  lease_ms: config.LEASE_SECONDS * 1000,
});
const execution = createExecution(composed, {
  journal,
  ownership: { ...ownership, leaseIsSafe: () => true },
});
const services = { ...composed, execution };
const app = await createApp({ services });
await execution.begin();
const address = await app.listen({ host: config.HOST, port: config.PORT });
log.info({ address }, 'millrace is serving');
