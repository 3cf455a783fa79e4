import { compile } from '../compile.ts';
import type { Scope } from '../evaluate/context.ts';
import { ExpressionError, MAX_VALUE_DEPTH } from '../limits.ts';
import { adopt, emptyObject, isObject } from '../values/settle.ts';

export type JsonText = { readonly value: unknown } | { readonly problem: string };

/**
 * Reads a field that holds JSON with references. JSON is parsed first and its texts are
 * evaluated with their types kept; a text that becomes JSON only with its references filled in is parsed afterwards.
 */
export function evaluateJsonText(text: string, scope: Scope): JsonText {
  const parsed = parse(text);
  if ('value' in parsed) return { value: resolve(adopt(parsed.value), scope, 0) };
  const filled = compile(text, 'template').evaluate(scope);
  const after = parse(String(filled));
  return 'value' in after ? { value: adopt(after.value) } : parsed;
}

function parse(text: string): JsonText {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : 'it cannot be read'}.` };
  }
}

function resolve(value: unknown, scope: Scope, depth: number): unknown {
  if (depth > MAX_VALUE_DEPTH) throw new ExpressionError('too_deep', 'This JSON is nested too deeply.');
  if (typeof value === 'string') return compile(value, 'value').evaluate(scope);
  if (Array.isArray(value)) return value.map((item) => resolve(item, scope, depth + 1));
  if (!isObject(value)) return value;
  const resolved = emptyObject();
  for (const [key, inner] of Object.entries(value)) resolved[key] = resolve(inner, scope, depth + 1);
  return resolved;
}
