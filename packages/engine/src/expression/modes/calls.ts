import { functionNamed, functions } from '../functions/table.ts';
import { isKnownMethod, methodNames } from '../methods/dispatch.ts';
import { childrenOf, type Node, type SyntaxProblem } from '../syntax/ast.ts';

/** Calls of functions and methods that do not exist. They evaluate to null, which is rarely what was meant. */
export function unknownCalls(node: Node): SyntaxProblem[] {
  const inner = childrenOf(node).flatMap(unknownCalls);
  const message = problemOf(node);
  if (message === null) return inner;
  return [{ code: 'unknown_function', message, start: node.start, end: node.end }, ...inner];
}

function problemOf(node: Node): string | null {
  if (node.kind === 'call') {
    if (functionNamed(node.name) !== undefined) return null;
    return `There is no function ${node.name}().${hint(node.name, Object.keys(functions))}`;
  }
  if (node.kind !== 'method' || isKnownMethod(node.name)) return null;
  return `There is no method ${node.name}().${hint(node.name, methodNames)}`;
}

function hint(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === null ? '' : ` Did you mean ${nearest}()?`;
}

/** The known name that differs by the fewest edits, when it differs by few. */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length > 40) return null;
  let best: string | null = null;
  let bestDistance = Math.ceil(name.length / 3) + 1;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const change = left[row - 1] === right[column - 1] ? 0 : 1;
      const above = (previous[column] ?? 0) + 1;
      const beside = (current[column - 1] ?? 0) + 1;
      current.push(Math.min(above, beside, (previous[column - 1] ?? 0) + change));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
