import { spawnSync } from 'node:child_process';
import { bin, root } from '../prepare.mjs';
import { KINDS, make } from './make.ts';

const [kind = '', name = ''] = process.argv.slice(2);

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(bin(command), args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
}

try {
  const { written, advice, commands } = make(root, kind, name);
  for (const { command, args } of commands) run(command, args);
  process.stdout.write(`${written.map((path) => `wrote ${path}`).join('\n')}\n\n${advice}\n`);
  process.stdout.write('Then `npm run generate` and `npm run check -- --changed`.\n');
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.stderr.write(`Usage: npm run new ${Object.keys(KINDS).join('|')} NAME\n`);
  process.exitCode = 1;
}
