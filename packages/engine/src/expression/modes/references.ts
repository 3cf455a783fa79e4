import { type Clause, listChildren, type Node } from '../syntax/ast.ts';

/** A name that an expression reads, with the fixed part of the path behind it. */
export interface Reference {
  readonly name: string;
  readonly path: string[];
  /** Offset of the `$`, or of the name when it is written bare. */
  readonly start: number;
  /** Behind the last part of `path`. */
  readonly end: number;
}

type Bound = ReadonlySet<string>;
const NOTHING: Bound = new Set();

export function referencesIn(node: Node): Reference[] {
  const found: Reference[] = [];
  visit(node, NOTHING, found);
  return found.sort((a, b) => a.start - b.start);
}

function visit(node: Node, bound: Bound, found: Reference[]): void {
  switch (node.kind) {
    case 'name':
      if (!isBound(node, bound)) found.push(reference(node.name, [], node));
      return;
    case 'member':
    case 'index':
      visitPath(node, bound, found);
      return;
    case 'list_for':
    case 'dict_for': {
      const inner = visitClauses(node.clauses, bound, found);
      const bodies = node.kind === 'list_for' ? [node.element] : [node.entry.key, node.entry.value];
      for (const body of bodies) visit(body, inner, found);
      return;
    }
    case 'item_expression':
      visit(node.body, new Set([...bound, 'item', ...(bound.has('item') ? ['$item'] : [])]), found);
      return;
    default:
      for (const child of listChildren(node)) visit(child, bound, found);
  }
}

function isBound(node: Node & { kind: 'name' }, bound: Bound): boolean {
  return bound.has(node.dollar ? `$${node.name}` : node.name);
}

function visitClauses(clauses: readonly Clause[], bound: Bound, found: Reference[]): Bound {
  let inner = bound;
  for (const clause of clauses) {
    visit(clause.source, inner, found);
    inner = new Set([...inner, ...clause.names]);
    for (const condition of clause.conditions) visit(condition, inner, found);
  }
  return inner;
}

/** Follows a chain of members down to its name, and collects what is fixed directly behind the name. */
function visitPath(outer: Node, bound: Bound, found: Reference[]): void {
  let node = outer;
  let end = outer.end;
  let path: string[] = [];
  while (node.kind === 'member' || node.kind === 'index') {
    const key = node.kind === 'member' ? node.name : constantKey(node.index);
    if (node.kind === 'index') visit(node.index, bound, found);
    if (key === null) {
      path = [];
      end = node.object.end;
    } else {
      path.unshift(key);
    }
    node = node.object;
  }
  if (node.kind !== 'name') {
    visit(node, bound, found);
  } else if (!isBound(node, bound)) {
    found.push(reference(node.name, path, { start: node.start, end }));
  }
}

function constantKey(node: Node): string | null {
  if (node.kind !== 'constant') return null;
  return typeof node.value === 'string' || typeof node.value === 'number' ? String(node.value) : null;
}

function reference(name: string, path: string[], place: { start: number; end: number }): Reference {
  return { name, path, start: place.start, end: place.end };
}
