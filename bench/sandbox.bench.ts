/**
 * How long a small run of code takes in a container that is started for it, and in one that was ready:
 * `npm run bench -- sandbox [runs of each]`. Needs a container engine at `DOCKER_HOST` and the image of `tools/sandbox/image.sh`.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { openParsers } from '../apps/server/src/adapters/parsing/parsers.ts';
import { createContainerSandbox } from '../apps/server/src/adapters/sandbox/containers/container-sandbox.ts';
import { sandboxOptions } from '../apps/server/src/testing/sandbox-engine.ts';
import { quantile } from './support/quantile.ts';
import { printTable } from './support/table.ts';

const parsers = openParsers();
const RUNS = Number(process.argv[2] ?? 20);
/** Long enough for the next container to be ready. */
const BETWEEN_MS = 1_500;

const SOURCES = {
  python: 'def main(params):\n    return params.n + 1',
  javascript: 'function main({ n }) {\n  return n + 1;\n}',
} as const;

async function measureRuns(language: keyof typeof SOURCES, warm: number): Promise<number[]> {
  const sandbox = createContainerSandbox({ ...sandboxOptions, parsers, installation: 'bench', warm });
  const times: number[] = [];
  // The first run is cold in both.
  for (let count = 0; count <= RUNS; count++) {
    const from = performance.now();
    await sandbox.run({
      language,
      source: SOURCES[language],
      entry: 'main',
      values: { n: count },
      passes: 'one',
      requirements: [],
      allow_network: false,
      files: new Map(),
      timeout_ms: 60_000,
      signal: new AbortController().signal,
    });
    if (count > 0) times.push(performance.now() - from);
    await pause(BETWEEN_MS);
  }
  await sandbox.close();
  return times;
}

const rows: (string | number)[][] = [];
for (const language of ['python', 'javascript'] as const) {
  for (const warm of [0, 1]) {
    const times = await measureRuns(language, warm);
    const at = (share: number) => quantile(times, share).toFixed(0);
    rows.push([language, warm === 0 ? 'cold' : 'warm', at(0.5), at(0.9)]);
  }
}
printTable(['language', 'start', 'p50 ms', 'p90 ms'], rows);
await parsers.close();
