// `npm run check`: everything that must hold before a change lands, quickest first.
import { spawnSync } from 'node:child_process';
import { bin, ensureInstalled, root } from './prepare.mjs';

ensureInstalled();

/** `figures`: what the step prints is worth reading when it holds, too. */
const STEPS = [
  {
    name: 'format',
    command: bin('biome'),
    args: ['ci', '--colors=off', '--formatter-enabled=true', '--assist-enabled=true', '.'],
  },
  { name: 'lint', command: bin('oxlint'), args: ['--type-aware', '--deny-warnings', '.'] },
  { name: 'types', command: bin('tsc'), args: ['-p', 'tsconfig.json'] },
  { name: 'types of the pure engine', command: bin('tsc'), args: ['-p', 'packages/engine/tsconfig.json'] },
  { name: 'types of the web app', command: bin('tsc'), args: ['-p', 'apps/web/tsconfig.json'] },
  { name: 'types of the browser journeys', command: bin('tsc'), args: ['-p', 'e2e/journeys/tsconfig.json'] },
  {
    name: 'dependency rules, size budgets, documents',
    command: bin('tsx'),
    args: ['tools/structure/main.ts'],
  },
  { name: 'dead code', command: bin('knip'), args: [] },
  { name: 'generated files are fresh', command: bin('tsx'), args: ['tools/generate.ts', '--check'] },
  {
    name: 'bundle budgets',
    command: process.execPath,
    args: ['apps/web/scripts/check-bundle.mjs'],
    figures: true,
  },
  {
    name: 'unit tests',
    command: bin('vitest'),
    args: ['run', '--reporter=dot', 'packages', 'tools', 'apps/web'],
  },
];

/** @type {string[]} */
const failed = [];
for (const { name, command, args, figures = false } of STEPS) {
  const started = Date.now();
  const result = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1' },
    maxBuffer: 64 * 1024 * 1024,
  });
  const ok = result.status === 0;
  process.stdout.write(
    `${ok ? 'ok    ' : 'FAILED'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)\n`,
  );
  if (ok && figures) process.stdout.write(result.stdout.replace(/^/gm, '         ').trimEnd().concat('\n'));
  if (ok) continue;
  failed.push(name);
  process.stdout.write(`${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}\n`);
}
process.stdout.write(
  failed.length === 0
    ? `\nAll ${STEPS.length} checks hold.\n`
    : `\n${failed.length} of ${STEPS.length} checks failed: ${failed.join(', ')}\n`,
);
process.exit(failed.length === 0 ? 0 : 1);
