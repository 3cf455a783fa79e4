import type { z } from 'zod';
import type { Scope } from '../../expression/index.ts';
import type { Json, JsonObject } from '../../json.ts';
import type { NodeDefinition } from '../../node-type/define-node.ts';
import { fieldMeta, isShown, nameOfField } from '../../node-type/fields.ts';
import { plainWords } from '../../plain-words.ts';
import { NodeFailure } from '../../run/node-run.ts';
import type { CompiledParams, Params, Problem } from '../compiled.ts';
import { eventKeyProblem } from './event-key.ts';
import {
  evaluatePlan,
  type Findings,
  innerSchema,
  isConstant,
  type Plan,
  planValue,
} from './stored-value.ts';

type Invalid = Omit<Problem, 'node_id'>;

const NONE: ReadonlySet<string> = new Set();
const IN_WORDS = { error: plainWords };

/** A parameter whose value differs from run to run. */
interface MovingParam {
  readonly key: string;
  readonly plan: Plan;
  /** Null when the plan can only yield values that the schema accepts as they are. */
  readonly schema: z.ZodType | null;
}

/**
 * Reads a node's stored parameters once: literal values are checked here, expressions are compiled, and a run only
 * evaluates what can change.
 *
 * @param literals parameters whose text means itself, even when it looks like an expression
 */
export function compileParams(
  definition: NodeDefinition,
  data: JsonObject,
  literals: ReadonlySet<string> = NONE,
): CompiledParams {
  const findings: Findings = { problems: [], references: [], credentials: [], workflows: [], labels: [] };
  const fixed: Record<string, unknown> = {};
  const moving: MovingParam[] = [];
  const shape: Record<string, z.ZodType> = definition.params.shape;
  for (const [key, schema] of Object.entries(shape)) {
    compileParam({ key, schema, data, shape, fixed, moving, findings, is_literal: literals.has(key) });
  }
  for (const { field, words } of definition.problems?.(data) ?? []) {
    findings.problems.push(invalidParam(field, shape[field] ?? definition.params, words));
  }
  const whole = hasOwnChecks(definition.params) ? definition.params : null;
  if (whole && moving.length === 0) checkWhole(whole, fixed, findings.problems);
  const invalid = findings.problems.find(({ severity }) => severity === 'error');
  return { ...findings, resolve: resolver(fixed, moving, { whole, invalid }) };
}

interface ParamSource {
  key: string;
  schema: z.ZodType;
  data: JsonObject;
  shape: Record<string, z.ZodType>;
  fixed: Record<string, unknown>;
  moving: MovingParam[];
  findings: Findings;
  is_literal: boolean;
}

function compileParam(source: ParamSource): void {
  const { key, schema, data, fixed, moving, findings, is_literal } = source;
  const stored = Object.hasOwn(data, key) ? data[key] : undefined;
  const isAbsent = stored === undefined || (stored === null && !schema.safeParse(null).success);
  if (isAbsent) {
    const fallback = schema.safeParse(undefined);
    if (!fallback.success) {
      if (!isHidden(source)) findings.problems.push(invalidParam(key, schema, 'is missing; enter a value'));
      return;
    }
    if (fallback.data === undefined) return;
    // A default may be an expression like any stored text; other defaults are values already.
    if (typeof fallback.data !== 'string') {
      fixed[key] = fallback.data;
      return;
    }
  }
  const value: Json = isAbsent ? (schema.parse(undefined) as string) : (stored ?? null);
  const plan: Plan = is_literal
    ? { kind: 'constant', value: coerced(schema, value) }
    : planValue(schema, value, { field: key, depth: 0, is_hidden: isHidden(source) }, findings);
  if (!isConstant(plan)) {
    moving.push({ key, plan, schema: acceptsAll(schema, plan) ? null : schema });
    return;
  }
  const checked = schema.safeParse(evaluatePlan(plan, null), IN_WORDS);
  if (checked.success) {
    fixed[key] = checked.data;
    if (isBlank(checked.data)) requireFilled(source);
    else requireEventKey(source, checked.data);
  } else if (!isHidden(source)) {
    findings.problems.push(
      invalidParam(key, schema, describeIssue(checked.error), formatPath(checked.error)),
    );
  }
}

const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';

/** A field without which the node cannot do anything, and in which nothing is written. */
function requireFilled(source: ParamSource): void {
  const message = fieldMeta(source.schema)?.when_empty;
  if (message === undefined || isHidden(source)) return;
  source.findings.problems.push({ field: source.key, code: 'missing_param', message, severity: 'error' });
}

/** The expression is evaluated before there is a run, so what it may read is checked here. */
function requireEventKey(source: ParamSource, text: unknown): void {
  const meta = fieldMeta(source.schema);
  if (meta?.kind !== 'event_key' || typeof text !== 'string' || isHidden(source)) return;
  const words = eventKeyProblem(text, meta);
  if (words !== undefined) source.findings.problems.push(invalidParam(source.key, source.schema, words));
}

/** A parameter that the form does not show at the present choice cannot be wrong. */
function isHidden({ schema, data, shape }: ParamSource): boolean {
  const meta = fieldMeta(schema);
  return meta !== undefined && !isShown(meta, data, shape);
}

function resolver(
  fixed: Record<string, unknown>,
  moving: readonly MovingParam[],
  { whole, invalid }: { whole: z.ZodObject | null; invalid: Invalid | undefined },
): (scope: Scope) => Params {
  if (invalid) {
    return () => {
      throw new NodeFailure(paramsFailure(invalid));
    };
  }
  if (moving.length === 0) {
    Object.freeze(fixed);
    return () => fixed;
  }
  return (scope) => {
    const params: Record<string, unknown> = { ...fixed };
    for (const { key, plan, schema } of moving) {
      const value = evaluatePlan(plan, scope);
      params[key] = schema === null ? value : parsed(key, schema, value);
    }
    if (whole) checkNow(whole, params);
    return params;
  };
}

function parsed(key: string, schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(coerced(schema, value), IN_WORDS);
  if (result.success) return result.data;
  throw new NodeFailure(
    paramsFailure(invalidParam(key, schema, describeIssue(result.error), formatPath(result.error))),
  );
}

/** Text that an expression yields for a number or a switch counts as that number or switch. */
function coerced(schema: z.ZodType, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  switch (fieldMeta(schema)?.kind) {
    case 'number':
      return value.trim() === '' || !Number.isFinite(Number(value)) ? value : Number(value);
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value;
    default:
      return value;
  }
}

function checkWhole(schema: z.ZodObject, params: Record<string, unknown>, problems: Invalid[]): void {
  const result = schema.safeParse(params, IN_WORDS);
  if (!result.success) problems.push(wholeProblem(result.error));
}

function checkNow(schema: z.ZodObject, params: Record<string, unknown>): void {
  const result = schema.safeParse(params, IN_WORDS);
  if (!result.success) throw new NodeFailure(paramsFailure(wholeProblem(result.error)));
}

function wholeProblem(error: z.ZodError): Invalid {
  const field = formatPath(error);
  const message = field === '' ? describeIssue(error) : `${field}: ${describeIssue(error)}`;
  return { field: field === '' ? null : field, code: 'invalid_param', message, severity: 'error' };
}

function invalidParam(key: string, schema: z.ZodType, words: string, path = ''): Invalid {
  const field = path === '' ? key : `${key}.${path}`;
  return {
    field,
    code: 'invalid_param',
    message: `${nameOfField(schema, field)}: ${words}`,
    severity: 'error',
  };
}

function paramsFailure({ field, message }: Invalid): ConstructorParameters<typeof NodeFailure>[0] {
  // The stored text is the cause, so another attempt could not end differently.
  const failure = { kind: 'params', message, final: true } as const;
  return field === null ? failure : { ...failure, field };
}

function describeIssue(error: z.ZodError): string {
  return error.issues[0]?.message ?? 'is not valid';
}

function formatPath(error: z.ZodError): string {
  return (error.issues[0]?.path ?? []).map(String).join('.');
}

function hasOwnChecks(schema: z.ZodType): boolean {
  const { checks } = schema.def as { checks?: readonly unknown[] };
  return checks !== undefined && checks.length > 0;
}

/** Whether every value that the plan can yield passes the schema unchanged, so that a run need not check it. */
function acceptsAll(schema: z.ZodType, plan: Plan): boolean {
  const inner = innerSchema(schema);
  if (hasOwnChecks(inner)) return false;
  const { type } = inner.def;
  const mode = fieldMeta(schema)?.mode;
  if (plan.kind === 'text') {
    if (type === 'unknown' || type === 'any') return true;
    return (type === 'string' && mode === 'template') || (type === 'boolean' && mode === 'condition');
  }
  if (plan.kind !== 'rows' || type !== 'array') return false;
  const row = (inner as z.ZodArray).element as z.ZodType;
  if (row.def.type !== 'object' || hasOwnChecks(row)) return false;
  const { key, value, ...others } = (row as z.ZodObject).shape;
  const isPlain = key?.def.type === 'string' && !hasOwnChecks(key) && value?.def.type === 'unknown';
  return isPlain && Object.keys(others).length === 0;
}
