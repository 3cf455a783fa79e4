// `npm run bench [name]`: every benchmark, or the named one. Figures are ratios within one run.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bin, ensureBuilt, ensureInstalled, root, run } from './prepare.mjs';

await ensureInstalled();
await ensureBuilt();
const wanted = process.argv[2];
const all = readdirSync(join(root, 'bench')).filter((file) => /^[a-z-]+\.bench\.ts$/.test(file));
const chosen = wanted ? all.filter((file) => file === `${wanted}.bench.ts`) : all;
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
