import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Beside the sources, beside the bundle, and one above where the bundle is in several files. */
const PLACES = ['./migrations', './database/migrations', '../database/migrations'];

export function migrationsFolder(): string {
  const folders = PLACES.map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const found = folders.find((folder) => existsSync(folder));
  if (!found) throw new Error(`the migrations are in none of ${folders.join(', ')}`);
  return found;
}

/** Any constant: every process that migrates takes the same advisory lock. */
export const MIGRATION_LOCK = 460_022_114;
