import { compileProgram } from '../evaluate/compile.ts';
import { Context, NoValue, type Scope } from '../evaluate/context.ts';
import { ExpressionError } from '../limits.ts';
import { listChildren, type Node, type SyntaxProblem } from '../syntax/ast.ts';
import { parseExpression } from '../syntax/parse.ts';
import { isTruthy } from '../values/compare.ts';
import { attempt, fatalPlan, isFatal, limitError, type Plan, staticPlan } from './plan.ts';

const FUNCTIONS = new Set(['len', 'str', 'int', 'float', 'bool']);

/** True or false; any error counts as false. */
export function conditionPlan(text: string): Plan {
  if (text.trim() === '') return staticPlan(false);
  const result = attempt(() => parseExpression(text));
  if ('problem' in result) {
    return isFatal(result.problem) ? fatalPlan(result.problem) : staticPlan(false, [result.problem]);
  }
  const { node } = result.parsed;
  const refused = refusals(node);
  if (refused.length > 0) return { ...staticPlan(false, refused), nodes: [node] };
  const { code, slots } = compileProgram(node);
  const run = (scope: Scope): boolean => {
    const context = new Context(scope, slots);
    try {
      return isTruthy(code(context));
    } catch (error) {
      if (error instanceof NoValue || isRefusedArgument(error)) return false;
      throw limitError(error);
    }
  };
  return { run, nodes: [node], problems: [], isStatic: false, keepsType: true };
}

function isRefusedArgument(error: unknown): boolean {
  return error instanceof ExpressionError && (error.code === 'range' || error.code === 'argument');
}

/** Around its spans a condition has operators, literals and a few functions; inside a span there is everything. */
function refusals(node: Node): SyntaxProblem[] {
  if (isSpan(node)) return [];
  const message = refusal(node);
  if (message !== null) return [{ code: 'not_allowed', message, start: node.start, end: node.end }];
  return listChildren(node).flatMap(refusals);
}

function isSpan(node: Node): boolean {
  switch (node.kind) {
    case 'name':
    case 'call':
      return node.dollar;
    case 'member':
    case 'index':
    case 'slice':
    case 'method':
      return isSpan(node.object);
    default:
      return false;
  }
}

function refusal(node: Node): string | null {
  switch (node.kind) {
    case 'name':
      return `Write $${node.name} to read a value in a condition.`;
    case 'call':
      return FUNCTIONS.has(node.name)
        ? null
        : `${node.name}() is not available here; write $${node.name}(…).`;
    case 'choose':
      return 'A condition is true or false; it cannot contain "? :".';
    case 'member':
    case 'method':
    case 'list_for':
    case 'dict_for':
      return 'A condition allows this only inside a $reference.';
    default:
      return null;
  }
}
