import { type JsonPath, pathKey, valueAt } from './json-path.ts';

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null' | 'missing';

export interface JsonRow {
  key: string;
  path: JsonPath;
  /** Name within the parent; absent for the root. */
  name: string | number | undefined;
  value: unknown;
  kind: JsonKind;
  level: number;
  /** Number of children of a list or object. */
  size: number;
  expanded: boolean;
  /** Stands for the children that are not shown yet. */
  more?: number;
}

export function classifyValue(value: unknown): JsonKind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'object':
      return 'object';
    case 'string':
      return 'string';
    case 'number':
    case 'bigint':
      return 'number';
    case 'boolean':
      return 'boolean';
    default:
      return 'missing';
  }
}

export const isContainer = (kind: JsonKind): boolean => kind === 'object' || kind === 'array';

function listChildren(value: unknown): [string | number, unknown][] {
  if (Array.isArray(value)) return value.map((item, index) => [index, item]);
  if (typeof value === 'object' && value !== null) return Object.entries(value);
  return [];
}

/** As many as `listChildren` gives, without a copy of a list that may be long. */
function countChildren(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

export interface Expansion {
  /** Rows that are open or closed against the rule of `openLevels`, by key. */
  flipped: ReadonlySet<string>;
  /** Containers above this level start open. */
  openLevels: number;
  /** How many children of a row are shown, by key; `CHILD_LIMIT` by default. */
  shown: ReadonlyMap<string, number>;
}

/** A list of a million items opens with this many; the rest follows on demand. */
export const CHILD_LIMIT = 100;
/** Lists longer than this start closed, however high they stand. */
const LONG = 40;

/** Whether a container starts open. Headers do not: there are many of them, and what is looked for is beside them. */
function startsOpen(path: JsonPath, value: unknown, openLevels: number): boolean {
  if (path.length >= openLevels) return false;
  if (path.length === 0) return true;
  return String(path.at(-1)).toLowerCase() !== 'headers' && countChildren(value) <= LONG;
}

/** The visible lines of a value, from top to bottom. */
export function jsonRows(root: unknown, expansion: Expansion): JsonRow[] {
  const rows: JsonRow[] = [];
  const visit = (value: unknown, path: JsonPath, level: number): void => {
    const key = pathKey(path);
    const kind = classifyValue(value);
    const children = listChildren(value);
    const opens = isContainer(kind) && children.length > 0;
    const expanded = opens && startsOpen(path, value, expansion.openLevels) !== expansion.flipped.has(key);
    rows.push({ key, path, name: path.at(-1), value, kind, level, size: children.length, expanded });
    if (!expanded) return;
    const limit = expansion.shown.get(key) ?? CHILD_LIMIT;
    for (const [name, child] of children.slice(0, limit)) visit(child, [...path, name], level + 1);
    if (children.length > limit) {
      const more = children.length - limit;
      rows.push({
        key: `${key}\u0002`,
        path,
        name: undefined,
        value,
        kind,
        level: level + 1,
        size: 0,
        expanded: false,
        more,
      });
    }
  };
  visit(root, [], 0);
  return rows;
}

/** Paths whose name or plain value contains the words; at most `limit`, for a search over a large value. */
export function searchJson(root: unknown, words: string, limit = 200): JsonPath[] {
  const wanted = words.trim().toLowerCase();
  const found: JsonPath[] = [];
  if (wanted === '') return found;
  const visit = (value: unknown, path: JsonPath): void => {
    if (found.length >= limit) return;
    const name = path.at(-1);
    const plain = !isContainer(classifyValue(value));
    const matches =
      (typeof name === 'string' && name.toLowerCase().includes(wanted)) ||
      (plain && String(value).toLowerCase().includes(wanted));
    if (matches) found.push(path);
    for (const [child, inner] of listChildren(value)) visit(inner, [...path, child]);
  };
  visit(root, []);
  return found;
}

/** The flipped rows of an expansion, and those on the way to `paths` that start closed; what a person has closed stays closed. */
export function withWayTo(
  paths: readonly JsonPath[],
  root: unknown,
  { flipped, openLevels }: Expansion,
): ReadonlySet<string> {
  const opened = new Set(flipped);
  for (const path of paths) {
    for (let depth = 0; depth < path.length; depth += 1) {
      const parent = path.slice(0, depth);
      if (!startsOpen(parent, valueAt(root, parent), openLevels)) opened.add(pathKey(parent));
    }
  }
  return opened;
}
