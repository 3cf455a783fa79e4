// `npm test`: every test. `npm test -- unit|browser|crash` runs one part, `browser NAME...` journeys with such names.
// `npm test -- screens [name...]` takes a picture of every screen, or of those with such a name, for review.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bin, ensureBuilt, ensureInstalled, root } from './prepare.mjs';

await ensureInstalled();
const part = process.argv[2];
const reports = join(root, '.build', 'reports');
rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });
const env = { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1' };
/** Where Debian and its relatives put a Chromium. */
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const total = { passed: 0, failed: 0, skipped: 0 };
const broken = [];
/** What each part took, so that a slow run shows where the time went. */
const durations = [];
let began = performance.now();

const execute = (command, args, extra = {}) =>
  spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...env, ...extra } }).status ?? 1;

function readReport(name) {
  const path = join(reports, name);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

function count(name, status, { passed, failed, skipped }) {
  durations.push(`${name} ${Math.round((performance.now() - began) / 1000)} s`);
  began = performance.now();
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  if (status !== 0 && failed === 0) broken.push(name);
}

/** Engine, nodes, HTTP, specification: no browser. */
function runVitest() {
  const status = execute(bin('vitest'), [
    'run',
    '--reporter=dot',
    '--reporter=json',
    `--outputFile.json=${join(reports, 'vitest.json')}`,
  ]);
  const report = readReport('vitest.json');
  count('vitest', status, {
    passed: report?.numPassedTests ?? 0,
    failed: report?.numFailedTests ?? 0,
    skipped: (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0),
  });
}

/** Journeys in a real browser against the built product. */
async function runBrowser() {
  if (!BROWSERS.some((path) => existsSync(path)) && process.env.CI !== 'true') {
    const journeys = readdirSync(join(root, 'e2e', 'journeys')).filter((name) => name.endsWith('.spec.ts'));
    for (const name of journeys) process.stdout.write(`skipped: e2e/journeys/${name} (needs Chromium)\n`);
    total.skipped += journeys.length;
    return;
  }
  await ensureBuilt();
  const status = execute(
    bin('playwright'),
    ['test', '--config', 'e2e/journeys/playwright.config.ts', ...process.argv.slice(3)],
    {
      PLAYWRIGHT_JSON_OUTPUT_FILE: join(reports, 'browser.json'),
    },
  );
  const stats = readReport('browser.json')?.stats;
  count('browser journeys', status, {
    passed: (stats?.expected ?? 0) + (stats?.flaky ?? 0),
    failed: stats?.unexpected ?? 0,
    skipped: stats?.skipped ?? 0,
  });
}

/** Processes are killed, paused and cut off while runs are under way. */
async function runCrash() {
  await ensureBuilt();
  const status = execute(bin('tsx'), ['e2e/crash/main.ts', ...process.argv.slice(3)]);
  count('crash harness', status, { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, skipped: 0 });
}

/** Pictures of every screen in both themes and widths, in `.build/screens`. Not part of the tests: people judge them. */
async function takeScreens() {
  await ensureBuilt();
  const status = execute(bin('playwright'), [
    'test',
    '--config',
    'e2e/journeys/screens.config.ts',
    ...process.argv.slice(3),
  ]);
  process.stdout.write(`The pictures are in ${join(root, '.build', 'screens')}\n`);
  process.exit(status);
}

if (part === 'screens') await takeScreens();
if (!part || part === 'unit') runVitest();
if (!part || part === 'browser') await runBrowser();
if (!part || part === 'crash') await runCrash();

for (const name of broken) process.stdout.write(`${name} ended with an error\n`);
process.stdout.write(`\nTime: ${durations.join(', ')}\n`);
process.stdout.write(
  `${total.passed} passed, ${total.failed + broken.length} failed, ${total.skipped} skipped\n`,
);
process.exit(total.failed + broken.length > 0 || total.passed === 0 ? 1 : 0);
