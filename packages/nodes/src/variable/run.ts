import { isAppendTo, isIncrement, type Json, type VariableWrite } from '@millrace/engine';
import { implement, type NodeCall } from '../implement.ts';
import { evaluated } from '../kit/values/mapped-object.ts';
import { requireSafeKey } from '../kit/values/object-keys.ts';
import { coerce, reportedType } from './coerce.ts';
import { variable } from './definition.ts';

/** Digits that a difference of two numbers can be trusted for: 0.3 - 0.1 is 0.2. */
const EXACT_DIGITS = 15;

/** How much the value adds to the global variable that it replaces; undefined when it is not an increment. */
function computeIncrement(
  { node, evaluate }: Pick<NodeCall, 'node' | 'evaluate'>,
  name: string,
  value: Json,
): number | undefined {
  const text = node.data['variableValue'];
  if (typeof value !== 'number' || typeof text !== 'string' || !isIncrement(text, name)) return undefined;
  const former = evaluate(`$global[${JSON.stringify(name)}]`, 'value') ?? 0;
  if (typeof former !== 'number') return undefined;
  return Number((value - former).toPrecision(EXACT_DIGITS));
}

export const runVariable = implement(variable, ({ params, node, evaluate }) => {
  const name = params.variableName;
  requireSafeKey(name, 'variableName');
  const value = coerce(evaluated(params.variableValue), params.variableType);
  const write: VariableWrite = { name, value, is_global: params.isGlobal };
  const by = params.isGlobal ? computeIncrement({ node, evaluate }, name, value) : undefined;
  if (by !== undefined) write.by = by;
  const text = node.data['variableValue'];
  if (Array.isArray(value) && typeof text === 'string' && isAppendTo(text, name)) write.appends = true;
  return { output: { name, value, type: reportedType(value, params.variableType) }, variables: [write] };
});
