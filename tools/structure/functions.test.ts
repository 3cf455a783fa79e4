import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** As many lines as are allowed in engine, nodes, models, contracts and server. */
const MOST_LINES = 60;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-functions-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The complaints of the linter, with the settings of the repository, about a function of so many lines at a path. */
function lint(path: string, lines: number): string {
  const body = Array.from({ length: lines - 2 }, (_, at) => `  total += ${at};`);
  const text = ['let total = 0;', 'export function long(): void {', ...body, '}', ''].join('\n');
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  // A configuration applies to its own folder and below, which is why it is copied.
  const settings = spawnSync('cp', [join(root, '.oxlintrc.json'), folder]);
  expect(settings.status).toBe(0);
  const oxlint = join(root, 'node_modules', '.bin', 'oxlint');
  const { stdout } = spawnSync(oxlint, ['--config', '.oxlintrc.json', path], {
    cwd: folder,
    encoding: 'utf8',
  });
  return stdout;
}

test.each(['packages/engine/src/run/long.ts', 'packages/nodes/src/http/long.ts', 'apps/server/src/long.ts'])(
  'a function of more than 60 lines is found in %s',
  (path) => {
    expect(lint(path, MOST_LINES + 1)).toContain('max-lines-per-function');
    expect(lint(path, MOST_LINES)).not.toContain('max-lines-per-function');
  },
);

test.each(['apps/server/src/long.test.ts', 'apps/server/src/ports/long.conformance.ts'])(
  'tests in %s may be long tables',
  (path) => {
    expect(lint(path, 2 * MOST_LINES)).not.toContain('max-lines-per-function');
  },
);
