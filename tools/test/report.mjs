// What the parts of `npm test` report, and the lines at its end.
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../prepare.mjs';

const SECOND_MS = 1_000;
const SLOWEST = 20;

const readJson = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined);

/** Counts of a run of Vitest, and what each of its files took; `unhandled` is the file with the number of errors outside of tests. */
export function readVitest(path, unhandled) {
  const report = readJson(path);
  return {
    passed: report?.numPassedTests ?? 0,
    failed: report?.numFailedTests ?? 0,
    skipped: (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0),
    unhandled: existsSync(unhandled) ? Number(readFileSync(unhandled, 'utf8')) : 1,
    failing: (report?.testResults ?? [])
      .filter(({ status }) => status === 'failed')
      .map(({ name }) => relative(root, name)),
    files: (report?.testResults ?? []).map(({ name, startTime, endTime }) => ({
      name: relative(root, name),
      ms: endTime - startTime,
    })),
  };
}

/** The counts of a run of Vitest whose failing files ran a second time; `flaky` names those that passed then. */
export function addRepetition(first, second) {
  return {
    ...first,
    passed: first.passed + Math.max(0, first.failed - second.failed),
    failed: second.failed,
    failing: second.failing,
    flaky: first.failing.filter((name) => !second.failing.includes(name)),
  };
}

const durationIn = ({ specs = [], suites = [] }) =>
  specs.reduce(
    (sum, { tests }) =>
      sum + tests.reduce((of, { results }) => of + results.reduce((ms, { duration }) => ms + duration, 0), 0),
    0,
  ) + suites.reduce((sum, suite) => sum + durationIn(suite), 0);

/** The same of a run of Playwright. */
export function readPlaywright(path) {
  const report = readJson(path);
  return {
    passed: (report?.stats?.expected ?? 0) + (report?.stats?.flaky ?? 0),
    failed: report?.stats?.unexpected ?? 0,
    skipped: report?.stats?.skipped ?? 0,
    files: (report?.suites ?? []).map((suite) => ({
      name: join('e2e', 'journeys', suite.file),
      ms: durationIn(suite),
    })),
  };
}

const seconds = (ms) => `${(ms / SECOND_MS).toFixed(1)} s`;

/** The files that took longest, longest first. */
export const formatSlowest = (files) =>
  files
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, SLOWEST)
    .map(({ name, ms }) => `${seconds(ms).padStart(8)}  ${name}`)
    .join('\n');

/** What each part took, so that a slow run shows where the time went. */
export const formatTimes = (parts) =>
  `Time: ${[...parts, { name: 'total', ms: parts.reduce((sum, { ms }) => sum + ms, 0) }]
    .map(({ name, ms }) => `${name} ${Math.round(ms / SECOND_MS)} s`)
    .join(', ')}`;

/** One line that says what is not tested here and how that can be had. */
export function formatMissing(missing) {
  const packages = missing.flatMap(({ debian }) => debian ?? []);
  const commands = [
    ...(packages.length > 0 ? [`on Debian: apt-get install ${packages.join(' ')}`] : []),
    ...missing.flatMap(({ command }) => command ?? []),
  ];
  const names = missing.map(({ name }) => name).join(', ');
  return `Not on this machine, so that their suites are skipped: ${names}. To get them: ${commands.join('; ')}. \`.ci/run\` installs and starts all of them.`;
}
