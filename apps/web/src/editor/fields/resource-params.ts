import type { FieldMeta, JsonObject } from '@millrace/engine';

/**
 * The values that a list of choices depends on or is narrowed by, as far as they are known without a run: plain texts.
 * An expression has no value yet, so its parameter is left out.
 */
export function resourceParams({ resource }: FieldMeta, data: JsonObject): Readonly<Record<string, string>> {
  const params: Record<string, string> = {};
  for (const name of [...(resource?.depends_on ?? []), ...(resource?.narrowed_by ?? [])]) {
    const value = data[name];
    if (typeof value === 'string' && value.trim() !== '' && !value.includes('$')) params[name] = value.trim();
  }
  return params;
}

/** Parameters without which the service cannot be asked. */
export const missingParams = ({ resource }: FieldMeta, params: Readonly<Record<string, string>>): string[] =>
  (resource?.depends_on ?? []).filter((name) => !Object.hasOwn(params, name));
