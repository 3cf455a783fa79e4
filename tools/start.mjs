// `npm start`: install, build, serve; each only when needed.
import module from 'node:module';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root } from './prepare.mjs';

await ensureInstalled('serve');
await ensureBuilt();
// Node 22.1 and newer keep what they compiled for the next start; the older ones know nothing of it.
module.enableCompileCache?.(join(root, '.build', 'compile-cache'));
await import('../apps/server/dist/main.js');
