import { spawnSync } from 'node:child_process';
import { pino } from 'pino';
import { openParsers } from '../adapters/parsing/parsers.ts';
import type { ContainerSandboxOptions } from '../adapters/sandbox/containers/container-sandbox.ts';
import { connectEngine } from '../adapters/sandbox/containers/engine.ts';

/** Built by `tools/sandbox/image.sh`. */
export const sandboxImage = process.env['TEST_SANDBOX_IMAGE'] ?? 'millrace/sandbox:local';

/** Built by `tools/sandbox/browser-image.sh`. */
export const browserImage = process.env['TEST_BROWSER_IMAGE'] ?? 'millrace/browser:local';

export const sandboxEngine = connectEngine(process.env['DOCKER_HOST']);

/** A sandbox on the engine of the tests. */
export const sandboxOptions: ContainerSandboxOptions = {
  docker_host: process.env['DOCKER_HOST'],
  installation: 'tests',
  images: { python: sandboxImage, javascript: sandboxImage, browser: browserImage },
  network: 'bridge',
  forwarded: { locale: [], network: [], authorities: undefined },
  concurrency: 4,
  warm: 0,
  parsers: openParsers(),
  log: pino({ level: 'silent' }),
  now: Date.now,
};

/** Settings of a service whose code runs on the engine of the tests. */
export const sandboxSettings: Record<string, string> = {
  ...(process.env['DOCKER_HOST'] === undefined ? {} : { DOCKER_HOST: process.env['DOCKER_HOST'] }),
  SANDBOX_PYTHON_IMAGE: sandboxImage,
  SANDBOX_NODE_IMAGE: sandboxImage,
  SANDBOX_BROWSER_IMAGE: browserImage,
};

/** Whether the tests of the mode `subprocess` can run. */
export const hasPython =
  process.env['CI'] === 'true' || spawnSync('python3', ['--version'], { stdio: 'ignore' }).status === 0;

/** Whether the tests on a real engine can run; where everything must run, they fail instead of being skipped. */
export const hasSandboxEngine = process.env['CI'] === 'true' || (await hasImage(sandboxImage));

/** The same with the image that has a browser. */
export const hasBrowserImage = process.env['CI'] === 'true' || (await hasImage(browserImage));

function hasImage(image: string): Promise<boolean> {
  return sandboxEngine.call('GET', `/images/${image}/json`).then(
    () => true,
    () => false,
  );
}
