import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import { HIDDEN, hideAddresses } from '../conversation/hidden-addresses.ts';

/** Names of fields and headers whose literal values are secrets. */
const SECRET_NAME =
  /pass(word|wd|phrase)?$|secret|token$|api[-_ ]?key|authorization|cookie|private[-_ ]?key/i;
/** Credentials in the text of a request, after the word that names them. */
const IN_TEXT =
  /((?:authorization|x-api-key|api[-_]?key|password|secret|token)["']?\s*[:=]\s*["']?(?:bearer\s+|basic\s+)?)([^\s"'$&]{6,})/gi;

const isExpression = (value: string): boolean => value.includes('$');

/** The name that says what a field of a row holds: rows of headers and mappings name their value beside it. */
const nameIn = (row: JsonObject, field: string): string =>
  field === 'value' && typeof row['key'] === 'string' ? row['key'] : field;

/** A graph's values without secrets that were typed into it; references stay. */
export function withoutSecrets(value: Json, name = ''): Json {
  if (typeof value === 'string') {
    if (SECRET_NAME.test(name)) return value === '' || isExpression(value) ? value : HIDDEN;
    return hideAddresses(value).replace(IN_TEXT, `$1${HIDDEN}`);
  }
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, name));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inside]) => [field, withoutSecrets(inside, nameIn(value, field))]),
  );
}

/** Restores what `withoutSecrets` replaced where the model left the value unchanged; elsewhere the placeholder is removed. */
export function restoreSecrets(proposed: Json, original: Json | undefined, name = ''): Json {
  if (typeof proposed === 'string') {
    if (!proposed.includes(HIDDEN)) return proposed;
    const isLeft = typeof original === 'string' && withoutSecrets(original, name) === proposed;
    return isLeft ? original : proposed.replaceAll(HIDDEN, '');
  }
  if (Array.isArray(proposed)) {
    const before = Array.isArray(original) ? original : [];
    return proposed.map((item, at) => restoreSecrets(item, rowLike(item, before) ?? before[at], name));
  }
  if (!isJsonObject(proposed)) return proposed;
  const before = isJsonObject(original) ? original : {};
  return Object.fromEntries(
    Object.entries(proposed).map(([field, inside]) => [
      field,
      restoreSecrets(inside, before[field], nameIn(proposed, field)),
    ]),
  );
}

/** The earlier row of the same name. */
function rowLike(row: Json, before: readonly Json[]): Json | undefined {
  const key = isJsonObject(row) ? row['key'] : undefined;
  return key === undefined ? undefined : before.find((other) => isJsonObject(other) && other['key'] === key);
}
