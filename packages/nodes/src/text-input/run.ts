import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { implement } from '../implement.ts';
import { copyInto, objectFromEntries } from '../kit/object-keys.ts';
import { textInput } from './definition.ts';

export const runTextInput = implement(textInput, ({ params, run_input }) => {
  const defaults = defaultValues(params.inputFields);
  if (!isJsonObject(run_input) || Object.keys(run_input).length === 0) {
    return { output: params.value === '' ? defaults : { ...defaults, text: params.value } };
  }
  const body = withDefaults(run_input['body'], defaults);
  const output: JsonObject = {};
  if (isJsonObject(body)) copyInto(output, body, 'body');
  // The run's own keys win, so that a body cannot pose as headers or query.
  copyInto(output, run_input, 'input');
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
