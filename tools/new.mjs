// `npm run new node|integration|resource|screen NAME`: files that pass every check, to be changed into what they should do.
import { bin, ensureInstalled, run } from './prepare.mjs';

await ensureInstalled();
run(bin('tsx'), ['tools/new/main.ts', ...process.argv.slice(2)]);
