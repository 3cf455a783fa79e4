import { dirname } from 'node:path';
import type { Module } from './modules.ts';
import type { Violation } from './rules.ts';

const MAX_LINES = 400;
const MAX_ENTRIES = 15;

/** Tables, not logic; their size says nothing. */
const EXEMPT_FILES = /\.cases\.ts$|(^|\/)cases\.ts$|\.test\.tsx?$|\/database\/schema\/|\/messages\//;
/** Folders that list one entry per thing of the product. */
const LISTING_FOLDERS =
  /^(packages\/nodes\/src|apps\/server\/src\/(resources|database\/schema)|packages\/contracts\/src|e2e\/spec|e2e\/journeys|bench|docs\/adr|apps\/web\/src\/(data|pages))$|\/ui$|\/fields$|\/functions$|\/methods$/;

/** Files that are too long: split by concept. */
export function checkFileSizes(modules: readonly Module[]): Violation[] {
  return modules
    .filter((module) => module.lines > MAX_LINES && !EXEMPT_FILES.test(module.path))
    .map((module) => ({
      rule: 'file-size',
      path: module.path,
      message: `has ${module.lines} lines; ${MAX_LINES} is the budget. Split it by concept.`,
    }));
}

/** Folders with too many entries; tests stand beside what they test and do not count. */
export function checkFolderSizes(modules: readonly Module[]): Violation[] {
  const entries = new Map<string, Set<string>>();
  for (const { path } of modules) {
    if (/\.test\.tsx?$/.test(path)) continue;
    for (let child = path; child.includes('/'); child = dirname(child)) {
      const folder = dirname(child);
      const names = entries.get(folder) ?? new Set<string>();
      entries.set(folder, names.add(child));
    }
  }
  return [...entries]
    .filter(([folder, names]) => names.size > MAX_ENTRIES && !LISTING_FOLDERS.test(folder))
    .map(([folder, names]) => ({
      rule: 'folder-size',
      path: folder,
      message: `has ${names.size} entries; ${MAX_ENTRIES} is the budget. Group what belongs together.`,
    }));
}
