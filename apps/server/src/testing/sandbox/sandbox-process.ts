// A separate service process that runs code in a sandbox and is killed by a test. Its argument says what to run, and where.
import { createContainerSandbox } from '../../adapters/sandbox/containers/container-sandbox.ts';
import { sandboxOptions } from '../sandbox-engine.ts';

/** The argument, as JSON. */
export interface KilledWork {
  readonly docker_host: string | undefined;
  readonly installation: string;
  /** `PIP_INDEX_URL` of the installation. */
  readonly registry: string;
  readonly requirements: readonly string[];
}

// Guarantee: only tests start this process.
const work = JSON.parse(process.argv[2] ?? '') as KilledWork;
const sandbox = createContainerSandbox({
  ...sandboxOptions,
  docker_host: work.docker_host,
  installation: work.installation,
  network: 'host',
  forwarded: { locale: [], network: [`PIP_INDEX_URL=${work.registry}`], authorities: undefined },
});
await sandbox.run({
  language: 'python',
  source: 'def main(p): return 1',
  entry: 'main',
  values: {},
  passes: 'one',
  requirements: work.requirements,
  allow_network: false,
  timeout_ms: 20_000,
  signal: new AbortController().signal,
});
