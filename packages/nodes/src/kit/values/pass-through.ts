import { isJsonObject, type Json, type JsonObject, type NodeInput } from '@millrace/engine';
import { objectFromEntries } from './object-keys.ts';

/** A value as a node passes it on unchanged: objects as they are, anything else as `{value}`. */
export function asObject(value: Json): JsonObject {
  return isJsonObject(value) ? value : { value };
}

/** Outputs of the direct inputs by the label of their node. */
export function inputsByLabel(inputs: readonly NodeInput[]): JsonObject {
  return objectFromEntries(
    inputs.map(({ label, output }) => [label, output] as const),
    'label',
  );
}
