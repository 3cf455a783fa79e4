import { listChildren, type Node } from '../syntax/ast.ts';
import { parseExpression } from '../syntax/parse.ts';
import { attempt } from './plan.ts';
import { referencesIn } from './references.ts';

/**
 * Whether a text adds something to `$global.<name>` or takes something from it, and reads it in no other way:
 * `$global.n + 1`, `($global.n ?? 0) - $input.used`. The value is then the former one plus an amount that does not depend
 * on it, so increments of several runs can be added up in any order.
 */
export function isIncrement(text: string, name: string): boolean {
  if (!text.includes('global')) return false;
  const parsed = attempt(() => parseExpression(text.trim()));
  if (!('parsed' in parsed)) return false;
  const { node } = parsed.parsed;
  return node.kind === 'binary' && addsTo(node, name);
}

/** Whether a text is the list `$vars.<name>` with items added: `$vars.list.add($input.row)`, also several times. */
export function isAppendTo(text: string, name: string): boolean {
  if (!text.includes('vars')) return false;
  const parsed = attempt(() => parseExpression(text.trim()));
  if (!('parsed' in parsed)) return false;
  let { node } = parsed.parsed;
  if (!isAdd(node)) return false;
  while (isAdd(node)) node = node.object;
  return isVariable(node, 'vars', name);
}

const isAdd = (node: Node): node is Node & { kind: 'method' } =>
  node.kind === 'method' && node.name === 'add';

function addsTo(node: Node, name: string): boolean {
  if (isFormer(node, name)) return true;
  if (node.kind !== 'binary') return false;
  const { operator, left, right } = node;
  if (operator === '+' && addsTo(right, name) && !reads(left, name)) return true;
  return (operator === '+' || operator === '-') && addsTo(left, name) && !reads(right, name);
}

/** `$global.n`, `$global["n"]`, and either with 0 in the place of a missing value. */
function isFormer(node: Node, name: string): boolean {
  if (node.kind === 'logical') {
    const isZero = node.right.kind === 'constant' && node.right.value === 0;
    return isZero && node.operator !== 'and' && isFormer(node.left, name);
  }
  return isVariable(node, 'global', name);
}

/** The variable itself: `$vars.n` or `$vars["n"]`, and nothing of it. */
function isVariable(node: Node, root: 'global' | 'vars', name: string): boolean {
  if (node.kind !== 'member' && node.kind !== 'index') return false;
  const [only, ...others] = referencesIn(node);
  return (
    only?.name === root &&
    only.path.length === 1 &&
    only.path[0] === name &&
    others.length === 0 &&
    isChain(node)
  );
}

/** Nothing but a name and what is read of it. */
const isChain = (node: Node): boolean =>
  listChildren(node).every((child) => child.kind === 'name' || child.kind === 'constant');

function reads(node: Node, name: string): boolean {
  return referencesIn(node).some(
    (reference) =>
      (reference.name === 'global' || reference.name === 'vars') &&
      (reference.path[0] === undefined || reference.path[0] === name),
  );
}
