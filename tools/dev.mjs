// `npm run dev`: the server restarts and the page reloads at every change.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { bin, ensureInstalled, root } from './prepare.mjs';

await ensureInstalled();
const port = process.env.PORT ?? '4600';
const children = [
  spawn(bin('tsx'), ['watch', '--clear-screen=false', 'apps/server/src/main.ts'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PORT: port },
  }),
  spawn(bin('vite'), ['--clearScreen=false'], {
    cwd: join(root, 'apps', 'web'),
    stdio: 'inherit',
    env: { ...process.env, API_PORT: port },
  }),
];
const stop = () => {
  for (const child of children) child.kill('SIGTERM');
};
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
for (const child of children) child.on('exit', stop);
