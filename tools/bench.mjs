// `npm run bench [name]`: every benchmark but those that are run only by name, or the named one. Figures are ratios within one run.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bin, ensureBuilt, ensureInstalled, root, run } from './prepare.mjs';

await ensureInstalled();
await ensureBuilt();
const wanted = process.argv[2];
const all = readdirSync(join(root, 'bench')).filter((file) => /^[a-z-]+\.bench\.ts$/.test(file));
/** Installs other products, which takes 3 GB and many minutes. */
const ONLY_BY_NAME = 'peers.bench.ts';
const chosen = wanted
  ? all.filter((file) => file === `${wanted}.bench.ts`)
  : all.filter((file) => file !== ONLY_BY_NAME);
if (chosen.length === 0) {
  process.stderr.write(
    `No benchmark is called "${wanted}". There are: ${all.map((file) => file.replace('.bench.ts', '')).join(', ')}\n`,
  );
  process.exit(1);
}
for (const file of chosen) {
  process.stdout.write(`\n== ${file.replace('.bench.ts', '')}\n`);
  run(bin('tsx'), [join('bench', file), ...process.argv.slice(3)]);
}
if (!wanted) {
  process.stdout.write(
    '\nLeft out: peers, which installs 3 GB of other products. Run it with `npm run bench -- peers`.\n',
  );
}
