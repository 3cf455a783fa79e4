import { nearest } from '../../nearest.ts';
import { functionNamed, functions } from '../functions/table.ts';
import { isKnownMethod, methodNames } from '../methods/dispatch.ts';
import { type Arguments, listChildren, type Node, type SyntaxProblem } from '../syntax/ast.ts';

/**
 * Calls that are rarely what was meant: of functions and methods that do not exist, which are null, and `filter` with a
 * condition that cannot be read, which keeps nothing.
 */
export function callProblems(node: Node): SyntaxProblem[] {
  const inner = listChildren(node).flatMap(callProblems);
  if (node.kind === 'method' && node.name === 'filter') inner.unshift(...unreadableConditions(node.call));
  const message = findProblem(node);
  if (message === null) return inner;
  return [{ code: 'unknown_function', message, start: node.start, end: node.end }, ...inner];
}

function unreadableConditions({ positional }: Arguments): SyntaxProblem[] {
  return positional.flatMap((value) => (value.kind === 'item_expression' && value.problem) || []);
}

function findProblem(node: Node): string | null {
  if (node.kind === 'call') {
    if (functionNamed(node.name) !== undefined) return null;
    return `There is no function ${node.name}().${hint(node.name, Object.keys(functions))}`;
  }
  if (node.kind !== 'method' || isKnownMethod(node.name)) return null;
  return `There is no method ${node.name}().${hint(node.name, methodNames)}`;
}

function hint(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === null ? '' : ` Did you mean ${meant}()?`;
}
