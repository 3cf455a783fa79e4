import { z } from 'zod';
import {
  type Compiled,
  compile,
  ExpressionError,
  type ExpressionMode,
  type ReadParameter,
  type Scope,
} from '../../expression/index.ts';
import { isBlockedKey, isJsonObject, type Json } from '../../json.ts';
import { type FieldMeta, fieldMeta } from '../../node-type/fields.ts';
import { NodeFailure } from '../../run/node-run.ts';
import type { FieldReference, Problem, StoredLink } from '../compiled.ts';

/** How a stored parameter becomes a value: as it is, by evaluating text, or part by part. */
export type Plan =
  | { readonly kind: 'constant'; readonly value: unknown }
  | (ReadParameter & { readonly kind: 'text'; readonly title: string; readonly compiled: Compiled })
  | { readonly kind: 'rows'; readonly keys: readonly string[]; readonly values: readonly Plan[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, Plan])[] }
  | { readonly kind: 'list'; readonly items: readonly Plan[] };

/** Findings that a compilation of parameters makes on its way. */
export interface Findings {
  readonly problems: Omit<Problem, 'node_id'>[];
  readonly references: FieldReference[];
  readonly credentials: StoredLink[];
  readonly workflows: StoredLink[];
  readonly labels: StoredLink[];
}

/** Texts without `$` mean themselves in these modes. */
const TEXT_MODES: ReadonlySet<string> = new Set(['template', 'value', 'json', 'raw', 'prompt']);

/** Stored shapes nest as deep as their schemas; this bounds schemas that contain themselves. */
const MAX_SCHEMA_DEPTH = 12;

/** The schema below `.optional()`, `.default()` and the like; `through` also enters the input side of transforms. */
export function innerSchema(schema: z.ZodType, through = false): z.ZodType {
  let current = schema;
  for (;;) {
    const def = current.def as { innerType?: unknown; in?: unknown };
    const next = def.innerType ?? (through ? def.in : undefined);
    if (!(next instanceof z.ZodType)) return current;
    current = next;
  }
}

/**
 * Of a field that is stored in one of several shapes, such as an object or its JSON text, the schema of the shape that is
 * stored. A choice with facts of its own is one field in every shape.
 */
export function storedSchema(schema: z.ZodType, stored: Json): z.ZodType {
  const inner = innerSchema(schema);
  if (fieldMeta(schema) || !(inner instanceof z.ZodUnion)) return schema;
  const fits = (option: z.ZodType): boolean => {
    const shape = innerSchema(option, true);
    if (typeof stored === 'string') return shape instanceof z.ZodString;
    return Array.isArray(stored) ? shape instanceof z.ZodArray : hasNamedParts(shape);
  };
  return (inner.options as readonly z.ZodType[]).find(fits) ?? schema;
}

/** Objects of known keys, and objects of any keys whose values are all of one kind. */
type NamedParts = z.ZodObject | z.ZodRecord;

export const hasNamedParts = (schema: z.ZodType): schema is NamedParts =>
  schema instanceof z.ZodObject || schema instanceof z.ZodRecord;

/** The schema of one entry of an object; undefined for a key that an object of known keys does not have. */
export function partSchema(schema: NamedParts, key: string): z.ZodType | undefined {
  if (schema instanceof z.ZodRecord) return schema.valueType as z.ZodType;
  const shape: Record<string, z.ZodType | undefined> = schema.shape;
  return Object.hasOwn(shape, key) ? shape[key] : undefined;
}

export interface Place extends ReadParameter {
  readonly depth: number;
}

export function planValue(declared: z.ZodType, stored: Json, place: Place, findings: Findings): Plan {
  const schema = storedSchema(declared, stored);
  const meta = fieldMeta(schema);
  if (typeof stored === 'string') return planText(stored, meta, place, findings);
  if (meta?.kind === 'mappings' && Array.isArray(stored)) return planRows(stored, meta, place, findings);
  if (place.depth >= MAX_SCHEMA_DEPTH || typeof stored !== 'object' || stored === null) {
    return { kind: 'constant', value: stored };
  }
  return planParts(innerSchema(schema, true), stored, place, findings);
}

function planText(text: string, meta: FieldMeta | undefined, place: Place, findings: Findings): Plan {
  noteLink(text, meta, place.field, findings);
  const mode = resolveMode(text, meta);
  if (mode === 'literal' || (TEXT_MODES.has(mode) && !text.includes('$'))) {
    return { kind: 'constant', value: meta?.kind === 'number' ? parseNumber(text) : text };
  }
  const compiled = compile(text, mode);
  for (const problem of compiled.problems) {
    findings.problems.push({
      field: place.field,
      code: 'expression',
      message: `${meta?.title ?? place.field}: ${problem.message}`,
      severity: 'warning',
    });
  }
  for (const { name, path, start, end } of compiled.references) {
    findings.references.push({ field: place.field, name, path, start, end });
  }
  const { field, is_hidden } = place;
  return { kind: 'text', field, is_hidden, title: meta?.title ?? field, compiled };
}

/** A number or switch is literal, but `$...` in its place can only be meant as an expression. */
function resolveMode(text: string, meta: FieldMeta | undefined): ExpressionMode {
  const mode = meta?.mode ?? 'literal';
  const takesExpression = meta?.kind === 'number' || meta?.kind === 'boolean';
  return mode === 'literal' && takesExpression && text.startsWith('$') ? 'raw' : mode;
}

/** Exports write many numbers as text. */
function parseNumber(text: string): string | number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : text;
}

function noteLink(text: string, meta: FieldMeta | undefined, field: string, findings: Findings): void {
  if (text === '') return;
  if (meta?.kind === 'credential') findings.credentials.push({ field, value: text });
  if (meta?.kind === 'workflow') findings.workflows.push({ field, value: text });
  if (meta?.kind === 'node_label') findings.labels.push({ field, value: text });
}

function planRows(rows: readonly Json[], meta: FieldMeta, place: Place, findings: Findings): Plan {
  const keys: string[] = [];
  const values: Plan[] = [];
  for (const [index, row] of rows.entries()) {
    if (!isJsonObject(row) || typeof row['key'] !== 'string') return { kind: 'constant', value: rows };
    const key = row['key'];
    if (key.trim() === '') continue;
    if (isBlockedKey(key)) {
      findings.problems.push({
        field: `${place.field}.${index}.key`,
        code: 'blocked_key',
        message: `${meta.title}: the name "${key}" is reserved; choose another one`,
        severity: 'error',
      });
      continue;
    }
    const stored = row['value'] ?? null;
    const field = `${place.field}.${index}.value`;
    keys.push(key);
    values.push(
      typeof stored === 'string'
        ? planText(stored, { ...meta, kind: 'expression' }, { ...place, field }, findings)
        : { kind: 'constant', value: stored },
    );
  }
  return { kind: 'rows', keys, values };
}

function planParts(schema: z.ZodType, stored: Json, place: Place, findings: Findings): Plan {
  const { field } = place;
  const at = (key: string | number): Place => ({
    ...place,
    field: `${field}.${key}`,
    depth: place.depth + 1,
  });
  if (schema instanceof z.ZodArray && Array.isArray(stored)) {
    const element = schema.element as z.ZodType;
    const items = stored.map((item, index) => planValue(element, item, at(index), findings));
    return items.every(isConstant)
      ? { kind: 'constant', value: items.map(getConstant) }
      : { kind: 'list', items };
  }
  if (!isJsonObject(stored) || !hasNamedParts(schema)) return { kind: 'constant', value: stored };
  const entries: [string, Plan][] = [];
  for (const [key, value] of Object.entries(stored)) {
    if (isBlockedKey(key)) continue;
    const part = partSchema(schema, key);
    const plan: Plan = part ? planValue(part, value, at(key), findings) : { kind: 'constant', value };
    entries.push([key, plan]);
  }
  if (!entries.every(([, plan]) => isConstant(plan))) return { kind: 'object', entries };
  return {
    kind: 'constant',
    value: Object.fromEntries(entries.map(([key, plan]) => [key, getConstant(plan)])),
  };
}

export function isConstant(plan: Plan): boolean {
  if (plan.kind === 'rows') return plan.values.every(isConstant);
  return plan.kind === 'constant';
}

function getConstant(plan: Plan): unknown {
  return plan.kind === 'constant' ? plan.value : null;
}

/** Carries a plan out. Nesting is bounded by the schema, so recursion is too. */
export function evaluatePlan(plan: Plan, scope: Scope | null): unknown {
  switch (plan.kind) {
    case 'constant':
      return plan.value;
    case 'text':
      return scope === null ? null : evaluateText(plan, scope);
    case 'rows':
      return plan.keys.map((key, index) => ({ key, value: evaluatePart(plan.values[index], scope) }));
    case 'list':
      return plan.items.map((item) => evaluatePlan(item, scope));
    case 'object': {
      const result: Record<string, unknown> = {};
      for (const [key, part] of plan.entries) result[key] = evaluatePlan(part, scope);
      return result;
    }
    default:
      return plan satisfies never;
  }
}

function evaluatePart(plan: Plan | undefined, scope: Scope | null): unknown {
  return plan === undefined ? null : evaluatePlan(plan, scope);
}

function evaluateText(plan: Plan & { kind: 'text' }, scope: Scope): unknown {
  scope.reading = plan;
  try {
    return plan.compiled.evaluate(scope);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const message = `${plan.title}: ${error.message}`;
    throw new NodeFailure({ kind: 'expression', field: plan.field, message }, { cause: error });
  } finally {
    scope.reading = null;
  }
}
