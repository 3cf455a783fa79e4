import type { Program } from '../evaluate/compile.ts';
import { Context, NoValue, type Scope } from '../evaluate/context.ts';
import { ExpressionError } from '../limits.ts';
import { type Node, SyntaxFailure, type SyntaxProblem } from '../syntax/ast.ts';
import { finish } from '../values/settle.ts';

/** How a text is evaluated in its mode. */
export interface Plan {
  readonly run: (scope: Scope) => unknown;
  /** Parsed parts, in reading order. */
  readonly nodes: readonly Node[];
  readonly problems: readonly SyntaxProblem[];
  /** The result does not depend on the scope. */
  readonly isStatic: boolean;
  /** The result keeps its type; otherwise it is text. */
  readonly keepsType: boolean;
}

export function staticPlan(value: unknown, problems: readonly SyntaxProblem[] = []): Plan {
  return { run: () => value, nodes: [], problems, isStatic: true, keepsType: false };
}

/** Evaluates to the value itself; null when an operation has no result. */
export function nativePlan(node: Node, program: Program): Plan {
  const { code, slots } = program;
  const run = (scope: Scope): unknown => {
    const context = new Context(scope, slots);
    try {
      return finish(context, code(context));
    } catch (error) {
      if (error instanceof NoValue) return null;
      throw limitError(error);
    }
  };
  return { run, nodes: [node], problems: [], isStatic: false, keepsType: true };
}

/** A text that breaks a limit fails the node instead of ending as something else. */
export function fatalPlan(problem: SyntaxProblem): Plan {
  const code = problem.code === 'too_long' ? 'too_long' : 'too_deep';
  const run = (): never => {
    throw new ExpressionError(code, problem.message, problem);
  };
  return { run, nodes: [], problems: [problem], isStatic: false, keepsType: false };
}

export function isFatal(problem: SyntaxProblem): boolean {
  return problem.code === 'too_long' || problem.code === 'too_deep';
}

/** The platform's own limits (depth of calls, length of texts) end as ours. */
export function limitError(error: unknown): unknown {
  return error instanceof RangeError
    ? new ExpressionError('too_deep', 'This expression or its data is nested too deeply.')
    : error;
}

export type Attempt<T> = { readonly parsed: T } | { readonly problem: SyntaxProblem };

/** Parsing problems as values. */
export function attempt<T>(parse: () => T): Attempt<T> {
  try {
    return { parsed: parse() };
  } catch (error) {
    if (error instanceof SyntaxFailure) return { problem: error.problem };
    throw error;
  }
}
