import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../prepare.mjs';
import { addRepetition, readVitest } from './report.mjs';

const folder = mkdtempSync(join(tmpdir(), 'millrace-report-'));

/** The counts of a report with these files, by the status of each. */
function read(files: Readonly<Record<string, 'passed' | 'failed'>>, numFailedTests: number) {
  const path = join(folder, 'report.json');
  const testResults = Object.entries(files).map(([name, status]) => {
    return { name: join(root, name), status, startTime: 0, endTime: 5 };
  });
  writeFileSync(path, JSON.stringify({ numPassedTests: 10, numFailedTests, testResults }));
  const unhandled = join(folder, 'unhandled.txt');
  writeFileSync(unhandled, '0');
  return readVitest(path, unhandled);
}

test('the counts of a run name the files that failed, also those that could not be loaded', () => {
  expect(read({ 'a.test.ts': 'passed', 'b.test.ts': 'failed' }, 0)).toMatchObject({
    passed: 10,
    failed: 0,
    failing: ['b.test.ts'],
    unhandled: 0,
    files: [
      { name: 'a.test.ts', ms: 5 },
      { name: 'b.test.ts', ms: 5 },
    ],
  });
});

test('a file that passes when it runs again counts as passed and is named', () => {
  const first = read({ 'a.test.ts': 'failed', 'b.test.ts': 'failed' }, 3);
  const second = read({ 'a.test.ts': 'passed', 'b.test.ts': 'failed' }, 1);
  expect(addRepetition(first, second)).toMatchObject({
    passed: 12,
    failed: 1,
    failing: ['b.test.ts'],
    flaky: ['a.test.ts'],
  });
});

test('a report that was not written counts nothing', () => {
  rmSync(folder, { recursive: true });
  const counts = readVitest(join(folder, 'report.json'), join(folder, 'unhandled.txt'));
  expect(counts).toMatchObject({ passed: 0, failed: 0, failing: [], unhandled: 1 });
});
