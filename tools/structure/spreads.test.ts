import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-spreads-'));
  // A configuration applies to its own folder and below, which is why it is copied.
  copyFileSync(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: join(root, 'tsconfig.base.json'), include: ['*.ts'] }),
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The complaints of the linter, with the settings of the repository, about a function body that has a node's call. */
function lint(body: string): string {
  const from = join(root, 'packages/nodes/src/implement.ts');
  const text = `import type { NodeCall } from ${JSON.stringify(from)};\n\nexport const use = (call: NodeCall) => ${body};\n`;
  writeFileSync(join(folder, 'use.ts'), text);
  const oxlint = join(root, 'node_modules', '.bin', 'oxlint');
  const { stdout } = spawnSync(oxlint, ['--type-aware', '--config', '.oxlintrc.json', 'use.ts'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(root, 'node_modules', '.bin')}:${process.env['PATH'] ?? ''}` },
  });
  return stdout;
}

test('a spread of the call of a node is found: it would lose what the getters of its class give', () => {
  expect(lint('({ ...call, attempt: 2 })')).toContain('no-misused-spread');
  expect(lint('({ services: call.services, attempt: 2 })')).not.toContain('no-misused-spread');
});
