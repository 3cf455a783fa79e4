import { parseExactJson } from '../../exact-json.ts';
import type { Scope } from '../evaluate/context.ts';
import { MAX_VALUE_DEPTH } from '../limits.ts';
import { adopt, emptyObject, isObject } from '../values/settle.ts';
import { fatalPlan, type Plan } from './plan.ts';
import { templatePlan } from './template.ts';
import { valuePlan } from './value.ts';

/**
 * Reads a field that holds JSON with references. JSON is parsed first and its texts are evaluated with their types kept, so
 * a quotation mark in a value cannot break it. Any other text is read as a value.
 */
export function jsonPlan(text: string): Plan {
  if (!text.includes('$') || !/^\s*[{[]/.test(text)) return valuePlan(text);
  const parsed = parse(text);
  if (parsed === undefined) return valuePlan(text);
  const part = compilePart(adopt(parsed), 0);
  if (part === undefined) {
    const message = 'This JSON is nested too deeply.';
    return fatalPlan({ code: 'too_deep', message, start: 0, end: text.length });
  }
  return { ...templatePlan(text), run: part, isStatic: false, keepsType: true };
}

function parse(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

type Part = (scope: Scope) => unknown;

/** Undefined when it is nested too deeply. */
function compilePart(value: unknown, depth: number): Part | undefined {
  if (depth > MAX_VALUE_DEPTH) return undefined;
  if (typeof value === 'string') return valuePlan(value).run;
  if (Array.isArray(value)) {
    const items = value.map((item) => compilePart(item, depth + 1));
    return items.every(isPart) ? (scope) => items.map((item) => item(scope)) : undefined;
  }
  if (!isObject(value)) return () => value;
  const entries = Object.entries(value).map(([key, inner]) => ({ key, part: compilePart(inner, depth + 1) }));
  const parts = entries.flatMap(({ key, part }) => (part ? [{ key, part }] : []));
  return parts.length === entries.length ? (scope) => buildObject(parts, scope) : undefined;
}

const isPart = (part: Part | undefined): part is Part => part !== undefined;

function buildObject(parts: readonly { readonly key: string; readonly part: Part }[], scope: Scope): unknown {
  const object = emptyObject();
  for (const { key, part } of parts) object[key] = part(scope);
  return object;
}
