import {
  isJsonObject,
  type Json,
  type JsonObject,
  NodeFailure,
  readInputs,
  readTypedFields,
} from '@millrace/engine';
import { implement } from '../implement.ts';
import { copyInto, objectFromEntries } from '../kit/values/object-keys.ts';
import { textInput } from './definition.ts';

export const runTextInput = implement(textInput, ({ params, run_input }) => {
  const defaults = asTyped(params.inputFields, defaultValues(params.inputFields));
  if (!isJsonObject(run_input) || Object.keys(run_input).length === 0) {
    return { output: params.value === '' ? defaults : { ...defaults, text: params.value } };
  }
  const { text, ...own } = run_input;
  const body = withDefaults(typed(params.inputFields, own['body']), defaults);
  // A `text` in the body or as a default is meant for this field; the run's `text` may be the JSON of a whole object.
  const output: JsonObject = text === undefined ? {} : { text };
  if (isJsonObject(body)) copyInto(output, body, 'body');
  // The run's own keys win, so that a body cannot pose as headers or query.
  copyInto(output, own, 'input');
  if (body !== undefined) output['body'] = body;
  return { output };
});

function defaultValues(fields: readonly { key: string; defaultValue?: Json | undefined }[]): JsonObject {
  const entries: [string, Json][] = [];
  for (const { key, defaultValue } of fields) {
    if (key !== '' && defaultValue !== undefined && defaultValue !== '') entries.push([key, defaultValue]);
  }
  return objectFromEntries(entries, 'inputFields');
}

/** A text, list or number as body stays what it is: it has no keys that could be missing. */
function withDefaults(body: Json | undefined, defaults: JsonObject): Json | undefined {
  if (Object.keys(defaults).length === 0) return body;
  if (isJsonObject(body)) return { ...defaults, ...body };
  return body === undefined || body === null ? defaults : body;
}

type Fields = Parameters<typeof defaultValues>[0];

/** Converts the fields to their types; a body that is not an object has no fields. */
function typed(fields: Fields, body: Json | undefined): Json | undefined {
  return isJsonObject(body) ? asTyped(fields, body, { requires: true }) : body;
}

function asTyped(fields: Fields, values: JsonObject, { requires = false } = {}): JsonObject {
  const declared = readTypedFields(fields).map((field) => (requires ? field : { ...field, required: false }));
  if (declared.length === 0) return values;
  const read = readInputs(declared, values);
  if ('values' in read) return read.values;
  const message = `The input "${read.key}" ${read.problem}`;
  throw new NodeFailure({ kind: 'params', message, final: true });
}
