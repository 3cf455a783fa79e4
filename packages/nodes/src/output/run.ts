import type { Json } from '@millrace/engine';
import type { z } from 'zod';
import { implement, type NodeCall } from '../implement.ts';
import { evaluated, mappedObject } from '../kit/values/mapped-object.ts';
import { inputsByLabel } from '../kit/values/pass-through.ts';
import { output } from './definition.ts';

export const runOutput = implement(output, (call) => ({ output: { result: buildResult(call) } }));

function buildResult({ params, node, inputs }: NodeCall<z.output<typeof output.params>>): Json {
  if (params.outputSchema.length > 0) return mappedObject(params.outputSchema, 'outputSchema');
  // The written text decides: an expression that yields "" is a result, an empty field is not.
  const written = node.data['message'];
  if (written === undefined || written === null || written === '') return inputsByLabel(inputs);
  return evaluated(params.message);
}
