import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { bin, root } from '../prepare.mjs';
import { changedFiles } from './changed-files.ts';
import { allSteps, type Step, stepsFor, unitTests } from './steps.ts';
import { readSources, testsFor } from './tests.ts';

async function chooseSteps(args: readonly string[]): Promise<readonly Step[]> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { changed: { type: 'boolean' }, 'without-tests': { type: 'boolean' } },
  });
  const without_tests = values['without-tests'] === true;
  if (!values.changed) {
    if (positionals.length > 0) throw new Error(`"${positionals[0]}" is for --changed`);
    return without_tests ? allSteps.filter((step) => step !== unitTests) : allSteps;
  }
  const { base, all, existing, readLines } = changedFiles(root, positionals[0]);
  process.stdout.write(`${all.length} changed files since ${base}\n`);
  const tests = without_tests
    ? { vitest: [], matrix_paths: [], journeys: [] }
    : await testsFor(all, { root, modules: readSources(root), readLines });
  return stepsFor(all, existing, tests);
}

interface Ended {
  readonly ok: boolean;
  readonly seconds: string;
  readonly printed: string;
}

const secondsSince = (start_ms: number): string => ((Date.now() - start_ms) / 1000).toFixed(1);

function runStep({ command, args }: Step): Promise<Ended> {
  const started = Date.now();
  const env = { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1' };
  const child = spawn(bin(command), args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += String(text)));
  return new Promise((resolve) => {
    const end = (ok: boolean) => resolve({ ok, seconds: secondsSince(started), printed });
    child.on('error', (error) => {
      printed += error.message;
      end(false);
    });
    child.on('close', (code) => end(code === 0));
  });
}

/** The output of a step is shown when it did not hold, and when its figures are worth reading. */
function tell({ name, figures = false, remedy }: Step, { ok, seconds, printed }: Ended): void {
  process.stdout.write(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)\n`);
  if (ok && figures) process.stdout.write(printed.replace(/^/gm, '         ').trimEnd().concat('\n'));
  if (!ok) process.stdout.write(`${printed}\n`);
  if (!ok && remedy !== undefined) process.stdout.write(`${remedy}\n\n`);
}

const started = Date.now();
const steps = await chooseSteps(process.argv.slice(2));
const failed: string[] = [];
const waiting = [...steps];

/** Steps do not depend on each other, and most of them use one processor. */
async function work(): Promise<void> {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    const ended = await runStep(step);
    tell(step, ended);
    if (!ended.ok) failed.push(step.name);
  }
}

await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
const outcome =
  failed.length === 0
    ? `All ${steps.length} checks hold`
    : `${failed.length} of ${steps.length} checks failed`;
process.stdout.write(
  `\n${outcome} (${secondsSince(started)} s)${failed.map((name) => `\n  ${name}`).join('')}\n`,
);
process.exit(failed.length === 0 ? 0 : 1);
