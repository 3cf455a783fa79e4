import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openPglite } from '../adapters/pglite/open.ts';
import type { Database } from '../database/database.ts';
import { triggerRevision } from '../database/migrator/install-triggers.ts';
import { migrationsFolder } from '../database/migrator/migration-files.ts';

const CACHE = fileURLToPath(new URL('../../../../node_modules/.cache/millrace', import.meta.url));

/** Of everything that makes the schema; names what is kept of a database that was made. */
export function migrationsHash(): string {
  const folder = migrationsFolder();
  const hash = createHash('sha256').update(triggerRevision.statements.join('\n'));
  for (const name of readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()) {
    hash.update(name).update(readFileSync(join(folder, name)));
  }
  return hash.digest('hex').slice(0, 16);
}

async function makeTemplate(path: string): Promise<void> {
  const database = await openPglite({});
  await database.migrate();
  const dump = await database.dump();
  await database.close();
  mkdirSync(CACHE, { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, Buffer.from(await dump.arrayBuffer()));
  renameSync(draft, path);
}

/** A fresh migrated embedded database of its own, cloned from a template that is made once per set of migrations. */
export async function openEmbeddedForTest(): Promise<Database> {
  const path = join(CACHE, `template-${migrationsHash()}.tar`);
  if (!existsSync(path)) await makeTemplate(path);
  return openPglite({ load: new Blob([readFileSync(path)]) });
}
