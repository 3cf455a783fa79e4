// `npm test`: every test. `npm test -- unit|browser|crash` runs one part, `unit|browser NAME...` files with such names.
// `npm test -- screens [name...]` takes a picture of every screen, or of those with such a name, for review.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bin, ensureBuilt, ensureInstalled, root } from './prepare.mjs';
import {
  addRepetition,
  formatMissing,
  formatSlowest,
  formatTimes,
  readPlaywright,
  readVitest,
} from './test/report.mjs';
import { findBrowser, findMissingServices } from './test/services.mjs';

const [part, ...names] = process.argv.slice(2);
const isCi = process.env.CI === 'true';
const reports = join(root, '.build', 'reports');
const total = { passed: 0, failed: 0, skipped: 0, files: [] };
const parts = [];
const broken = [];
const flaky = [];
/** More failing files than that are no accident of a busy machine. */
const MOST_REPEATED = 3;

const execute = (command, args, extra = {}) =>
  spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1', ...extra },
  }).status ?? 1;

/** Runs a part and adds what it reports: whether it ended well, its counts and the times of its files. */
async function runPart(name, run) {
  const began = performance.now();
  const { status, passed = 0, failed = 0, skipped = 0, files = [] } = await run();
  parts.push({ name, ms: performance.now() - began });
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  total.files.push(...files);
  if (status !== 0 && failed === 0) broken.push(name);
}

async function build() {
  await ensureBuilt();
  return { status: 0 };
}

function executeVitest(name, files) {
  const report = join(reports, `${name}.json`);
  const unhandled = join(reports, `${name}-unhandled.txt`);
  const own = join(root, 'tools', 'test', 'unhandled-errors.mjs');
  const reporters = ['--reporter=dot', '--reporter=json', `--reporter=${own}`, `--outputFile.json=${report}`];
  const status = execute(bin('vitest'), ['run', ...reporters, ...files], {
    UNHANDLED_ERRORS_FILE: unhandled,
  });
  return { status, ...readVitest(report, unhandled) };
}

/**
 * Engine, nodes, HTTP, specification, components, the smoke suite on the built product: no browser. In CI a few files that fail
 * run again from their beginning, because tests that build on each other cannot pass one by one; those that pass then are listed.
 */
function runVitest() {
  const first = executeVitest('vitest', part === 'unit' ? names : []);
  const { failing, unhandled } = first;
  // Errors that belong to no test do not come back with these files.
  if (!isCi || unhandled > 0 || failing.length === 0 || failing.length > MOST_REPEATED) return first;
  process.stdout.write(`\nThe files that failed, once more: ${failing.join(', ')}\n`);
  const second = executeVitest('vitest-again', failing);
  if (second.status !== 0 && second.failing.length === 0) return first;
  const counts = addRepetition(first, second);
  flaky.push(...counts.flaky);
  return { ...counts, status: second.status };
}

/** Journeys in a real browser against the built product. Those that fail run again with a trace, and still count as failed. */
function runBrowser() {
  if (findBrowser() === undefined && !isCi) {
    const journeys = readdirSync(join(root, 'e2e', 'journeys')).filter((name) => name.endsWith('.spec.ts'));
    for (const name of journeys) process.stdout.write(`skipped: e2e/journeys/${name} (needs Chromium)\n`);
    return { status: 0, skipped: journeys.length };
  }
  const config = ['test', '--config', 'e2e/journeys/playwright.config.ts'];
  const report = join(reports, 'browser.json');
  const only = part === 'browser' ? names : [];
  const status = execute(bin('playwright'), [...config, ...only], { PLAYWRIGHT_JSON_OUTPUT_FILE: report });
  const counts = readPlaywright(report);
  if (counts.failed > 0) {
    process.stdout.write('\nThe journeys that failed, once more with a trace in test-results:\n');
    const again = join(reports, 'browser-traced.json');
    execute(bin('playwright'), [...config, '--last-failed', '--trace=on', ...only], {
      PLAYWRIGHT_JSON_OUTPUT_FILE: again,
    });
  }
  return { status, ...counts };
}

/** Processes are killed, paused and cut off while runs are under way. */
function runCrash() {
  const status = execute(bin('tsx'), ['e2e/crash/main.ts', ...(part === 'crash' ? names : [])]);
  return { status, passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1 };
}

/** Pictures of every screen in both themes and widths, in `.build/screens`. Not part of the tests: people judge them. */
async function takeScreens() {
  await ensureBuilt();
  const status = execute(bin('playwright'), ['test', '--config', 'e2e/journeys/screens.config.ts', ...names]);
  process.stdout.write(`The pictures are in ${join(root, '.build', 'screens')}\n`);
  process.exit(status);
}

await ensureInstalled();
if (part === 'screens') await takeScreens();
rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });
const missing = await findMissingServices();
if (missing.length > 0) process.stdout.write(`${formatMissing(missing)}\n`);
await runPart('build', build);
if (!part || part === 'unit') await runPart('vitest', runVitest);
if (!part || part === 'browser') await runPart('browser journeys', runBrowser);
if (!part || part === 'crash') await runPart('crash harness', runCrash);

if (flaky.length > 0) process.stdout.write(`\nPassed only when they ran again: ${flaky.join(', ')}\n`);
for (const name of broken) process.stdout.write(`${name} ended with an error\n`);
if (total.files.length > 1) process.stdout.write(`\nSlowest files:\n${formatSlowest(total.files)}\n`);
if (missing.length > 0) process.stdout.write(`\n${formatMissing(missing)}\n`);
process.stdout.write(`\n${formatTimes(parts)}\n`);
process.stdout.write(
  `${total.passed} passed, ${total.failed + broken.length} failed, ${total.skipped} skipped\n`,
);
process.exit(total.failed + broken.length > 0 || total.passed === 0 ? 1 : 0);
