import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bin, root } from '../prepare.mjs';
import { KINDS, make } from './make.ts';

function readWish() {
  // npm keeps options for itself that stand in front of `--`.
  if (process.env['npm_config_without'] !== undefined)
    throw new Error('options stand behind `--`: npm run new -- resource NAME --without update,read');
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { without: { type: 'string', default: '' } },
  });
  const [kind = '', name = ''] = positionals;
  return { kind, name, without: values.without.split(',').filter((part) => part !== '') };
}

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(bin(command), args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
}

/** When each file that git knows or would add was last written: the commands write further files. */
function readTimes(folder: string): ReadonlyMap<string, number> {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const paths = listed.split('\0').filter((path) => path !== '' && existsSync(join(folder, path)));
  return new Map(paths.sort().map((path) => [path, statSync(join(folder, path)).mtimeMs]));
}

try {
  const before = readTimes(root);
  const { advice, commands } = make(root, readWish());
  for (const { command, args } of commands) run(command, args);
  const changes = [...readTimes(root)].filter(([path, time_ms]) => before.get(path) !== time_ms);
  process.stdout.write(`${changes.map(([path]) => `wrote ${path}`).join('\n')}\n\n${advice}\n`);
  process.stdout.write('Then `npm run check -- --changed`.\n');
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.stderr.write(`Usage: npm run new ${Object.keys(KINDS).join('|')} NAME\n`);
  process.stderr.write('       npm run new -- resource NAME --without update,read\n');
  process.exitCode = 1;
}
