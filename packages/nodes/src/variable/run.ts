import { implement } from '../implement.ts';
import { evaluated } from '../shared/mapped-object.ts';
import { requireSafeKey } from '../shared/object-keys.ts';
import { coerce, reportedType } from './coerce.ts';
import { variable } from './definition.ts';

export const runVariable = implement(variable, ({ params }) => {
  const name = params.variableName;
  requireSafeKey(name, 'variableName');
  const value = coerce(evaluated(params.variableValue), params.variableType);
  return {
    output: { name, value, type: reportedType(value, params.variableType) },
    variables: [{ name, value, is_global: params.isGlobal }],
  };
});
