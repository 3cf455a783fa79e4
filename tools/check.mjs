// `npm run check`: everything that must hold before a change lands, quickest first.
// `npm run check -- --without-tests`: the same behind `npm test`, which has run them.
// `npm run check -- --changed [base]`: what the files that differ from main (or from `base`) need; also with `--without-tests`.
import { bin, ensureInstalled, run } from './prepare.mjs';

await ensureInstalled();
run(bin('tsx'), ['tools/check/main.ts', ...process.argv.slice(2)]);
