import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Generated files: their paths from the root, and their texts. */
export type Files = ReadonlyMap<string, string>;

/** Paths of those that are missing or have another text. */
export const staleFiles = (root: string, files: Files): string[] =>
  [...files].flatMap(([path, text]) => {
    const full = join(root, path);
    return existsSync(full) && readFileSync(full, 'utf8') === text ? [] : [path];
  });

/** Leaves fresh files alone, so that file watchers do not react. Returns the paths that it wrote. */
export function writeFiles(root: string, files: Files): string[] {
  const stale = staleFiles(root, files);
  for (const path of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), files.get(path) ?? '');
  }
  return stale;
}
