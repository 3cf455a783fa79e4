import { readConfig } from '../../../apps/server/src/config.ts';
import { createLog } from '../../../apps/server/src/core/log/log.ts';
import { createExecution } from '../../../apps/server/src/execution/execution.ts';
import {
  exitWhenFenced,
  openDurability,
} from '../../../apps/server/src/execution/ownership/open-durability.ts';
import type { Ownership } from '../../../apps/server/src/execution/ownership/ownership.ts';
import { createRunFiles } from '../../../apps/server/src/resources/files/run-files.ts';
import { createWorkflowRules } from '../../../apps/server/src/resources/workflow-rules.ts';
import { createApp } from '../../../apps/server/src/startup/app.ts';
import { compose } from '../../../apps/server/src/startup/compose.ts';
import { openDatabase } from '../../../apps/server/src/startup/compose-database.ts';
import { createTriggerHost } from '../../../apps/server/src/triggers/host/host.ts';
import { receivers } from '../../../packages/nodes/src/runtime.ts';

export interface Breakage {
  /** False: nothing that is written is checked against the lease. */
  readonly fenced: boolean;
  /** The difference from the product. */
  readonly change: (ownership: Ownership) => Partial<Ownership>;
}

const HARM_MS = 2_000;

/** Serves the product with something broken on purpose: what the checkers do not find then, they would never find. */
export async function serveBroken({ fenced, change }: Breakage): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config.LOG_LEVEL);
  const opening = openDatabase(config, log);
  await opening.ready;
  const composed = await compose(config, log, opening);
  const { database, broadcast } = composed;
  const { journal, ownership, addresses } = openDurability({
    database,
    broadcast,
    log,
    fenced,
    lease_ms: config.LEASE_SECONDS * 1000,
  });
  const execution = createExecution(composed, {
    journal,
    addresses,
    ownership: { ...ownership, ...change(ownership) },
    workflow_rules: createWorkflowRules(composed),
    run_files: createRunFiles(composed),
  });
  exitWhenFenced(ownership, log, (status) => {
    // Without the fence it first does its harm. It cannot claim anything again, so that it still has to end.
    if (fenced) process.exit(status);
    setTimeout(() => process.exit(status), HARM_MS);
  });
  const services = { ...composed, execution };
  const app = await createApp({ services });
  await execution.begin();
  await createTriggerHost({ services, receivers }).start();
  const address = await app.listen({ host: config.HOST, port: config.PORT });
  log.info({ address }, 'millrace is serving');
}
