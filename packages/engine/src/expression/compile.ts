import { TextCache } from '../text-cache.ts';
import type { Scope } from './evaluate/context.ts';
import { ExpressionError, MAX_TEMPLATE_LENGTH } from './limits.ts';
import { callProblems } from './modes/calls.ts';
import { conditionPlan } from './modes/condition.ts';
import { jsonPlan } from './modes/json-text.ts';
import { fatalPlan, type Plan, staticPlan } from './modes/plan.ts';
import { type Reference, referencesIn } from './modes/references.ts';
import { templatePlan } from './modes/template.ts';
import { promptPlan, rawPlan, valuePlan } from './modes/value.ts';
import type { Node, SyntaxProblem } from './syntax/ast.ts';

/**
 * How a field reads its text: as it is, with its `$spans` filled in (template), as one value when it is one
 * expression (value), as JSON whose texts are values (json), as an expression when it starts with `$` (raw), as text for a
 * model (prompt), or as true and false (condition).
 */
export type ExpressionMode = 'literal' | 'template' | 'value' | 'json' | 'raw' | 'prompt' | 'condition';

export interface Compiled {
  readonly mode: ExpressionMode;
  readonly text: string;
  /** Every name that is read, in reading order. */
  readonly references: readonly Reference[];
  /** Problems that an editor should mark. A text with problems still evaluates, by the rules of its mode. */
  readonly problems: readonly SyntaxProblem[];
  /** The result does not depend on the scope. */
  readonly isStatic: boolean;
  /** The result keeps its own type instead of becoming text. */
  readonly keepsType: boolean;
  /** Parsed expressions in the text, in reading order. */
  readonly nodes: readonly Node[];
  /** Plain JSON data. Throws ExpressionError, and nothing else, unless the scope itself throws. */
  evaluate(scope: Scope): unknown;
}

const caches = new Map<ExpressionMode, TextCache<Compiled>>();
/** A compiled text takes some 50 bytes per character. */
const CACHE_LIMITS = { maxEntries: 5_000, maxCharacters: 500_000 };

/** Reads a field's text once; the result is kept for the next call. Never throws. */
export function compile(text: string, mode: ExpressionMode): Compiled {
  // Reading a text without references is cheaper than looking it up.
  if (mode !== 'condition' && !text.includes('$')) return compileFresh(text, mode);
  let cache = caches.get(mode);
  if (cache === undefined) {
    cache = new TextCache(CACHE_LIMITS);
    caches.set(mode, cache);
  }
  const known = cache.get(text);
  if (known !== undefined) return known;
  const compiled = compileFresh(text, mode);
  cache.set(text, compiled);
  return compiled;
}

export function evaluate(text: string, mode: ExpressionMode, scope: Scope): unknown {
  return compile(text, mode).evaluate(scope);
}

function compileFresh(text: string, mode: ExpressionMode): Compiled {
  const { run, nodes, problems: syntaxProblems, isStatic, keepsType } = planExpression(text, mode);
  let references: readonly Reference[] | null = null;
  let problems: readonly SyntaxProblem[] | null = null;
  return {
    mode,
    text,
    nodes,
    isStatic,
    keepsType,
    get problems() {
      problems ??= [...syntaxProblems, ...nodes.flatMap(callProblems)];
      return problems;
    },
    get references() {
      references ??= nodes.flatMap(referencesIn);
      return references;
    },
    evaluate: run,
  };
}

function planExpression(text: string, mode: ExpressionMode): Plan {
  if (mode !== 'literal' && text.length > MAX_TEMPLATE_LENGTH && text.includes('$')) {
    const message = `A text with references may have at most ${MAX_TEMPLATE_LENGTH} characters.`;
    return fatalPlan({ code: 'too_long', message, start: 0, end: text.length });
  }
  switch (mode) {
    case 'literal':
      return staticPlan(text);
    case 'template':
      return text.includes('$') ? templatePlan(text) : staticPlan(text);
    case 'value':
      return valuePlan(text);
    case 'json':
      return jsonPlan(text);
    case 'raw':
      return rawPlan(text);
    case 'prompt':
      return promptPlan(text);
    case 'condition':
      return conditionPlan(text);
    default: {
      const never: never = mode;
      throw new ExpressionError('range', `Unknown mode ${String(never)}.`);
    }
  }
}
