// `npm run generate:db -- --name NAME`: a migration with the changes of the schema, and the schema of new databases.
// `npm run generate:db -- --renew NAME`: regenerates the newest migration after another change of the same tables.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../prepare.mjs';
import { CONSOLIDATED_PATH, consolidateSchema } from './consolidated-schema.ts';
import { writeFiles } from './files.ts';
import { generatedLists } from './lists.ts';

async function makeMigration(args: readonly string[]): Promise<void> {
  const [option, name] = args;
  if (option === '--renew' && name === undefined)
    throw new Error('--renew needs the name of the newest migration');
  // The schema is what the list of tables names.
  writeFiles(root, generatedLists(root));
  const { generateMigration, renewMigration } = await import('./migrations.ts');
  const written = option === '--renew' ? renewMigration(root, name ?? '') : generateMigration(root, args);
  process.stdout.write(written === undefined ? 'The schema has no changes.\n' : `wrote ${written}\n`);
  writeFileSync(join(root, CONSOLIDATED_PATH), await consolidateSchema());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await makeMigration(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
