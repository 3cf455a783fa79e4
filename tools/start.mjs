// `npm start`: install, build, serve; each only when needed.
import { ensureBuilt, ensureInstalled } from './prepare.mjs';

await ensureInstalled('serve');
await ensureBuilt();
await import('../apps/server/dist/main.js');
