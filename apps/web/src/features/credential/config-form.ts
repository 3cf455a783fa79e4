import type { Credential } from '@millrace/contracts';
import { plainWords } from '@millrace/engine';
import {
  type ConfigProblem,
  type CredentialField,
  type CredentialType,
  parseCredentialConfig,
} from '@millrace/engine/credential';

/** Values of the form by field name: text for what is typed, booleans for switches. */
export type ConfigValues = Readonly<Record<string, unknown>>;

/** How the values of a stored credential are known: those that are shown, and the names of those that are not. */
export type StoredConfig = Pick<Credential, 'public_fields' | 'withheld_fields'>;

/**
 * The values that the form starts with: defaults, and for a stored credential what is shown of it. A text of that one which
 * is not shown is blank, and is kept as it is.
 */
export function initialValues(type: CredentialType, config?: StoredConfig): Record<string, unknown> {
  const shown = config?.public_fields;
  const values: Record<string, unknown> = {};
  for (const { name, kind, hidden, default: usual } of type.fields) {
    if (hidden) continue;
    const stored = shown && Object.hasOwn(shown, name) ? shown[name] : undefined;
    const isText = kind !== 'boolean' && kind !== 'integer';
    values[name] = stored ?? (shown && isText ? '' : usual) ?? (kind === 'boolean' ? false : '');
  }
  return values;
}

/**
 * The values that are sent: an edit leaves blank secrets out, so that the stored ones stay, and sends null for those that
 * are to be removed.
 */
export function buildConfig(
  type: CredentialType,
  values: ConfigValues,
  editing: boolean,
): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  for (const { name, kind, hidden } of type.fields) {
    if (hidden || !Object.hasOwn(values, name)) continue;
    const value = values[name];
    if (value === '' && (editing ? kind === 'secret' || type.keeps_blank : true)) continue;
    config[name] = kind === 'integer' && value !== '' && value !== null ? Number(value) : value;
  }
  return config;
}

/**
 * Whether a blank field leaves what is stored as it is: a secret, a value that is not shown because a secret is inside, and
 * every value where the type says so.
 *
 * @param stored the values of a stored credential; undefined for a new one
 */
export function keepsStored(
  type: CredentialType,
  { name }: CredentialField,
  stored: StoredConfig | undefined,
): boolean {
  if (stored === undefined) return false;
  const isKeptBlank = type.keeps_blank === true && Object.hasOwn(stored.public_fields, name);
  return isKeptBlank || stored.withheld_fields.includes(name);
}

/** Whether an optional value has to be taken away by its own button, because emptying the field would keep it. */
export function needsRemoval(
  type: CredentialType,
  field: CredentialField,
  stored: StoredConfig | undefined,
): boolean {
  const { name, kind, required, default: usual } = field;
  if (required || kind === 'boolean' || kind === 'choice' || !keepsStored(type, field, stored)) return false;
  // A shown value can be set back to the usual one.
  return usual === undefined || stored?.withheld_fields.includes(name) === true;
}

/** Problems by field name. Of a stored credential blank fields count as given, because the server has them. */
export function findProblems(
  type: CredentialType,
  values: ConfigValues,
  stored?: StoredConfig,
): Record<string, string> {
  const config = buildConfig(type, values, stored !== undefined);
  const isKept = (field: CredentialField) => values[field.name] === '' && keepsStored(type, field, stored);
  // A combination with what is stored and not shown is for the server to check.
  const isPartial = type.fields.some((field) => !field.hidden && isKept(field));
  const { check: _, ...unchecked } = type;
  const parsed = parseCredentialConfig(isPartial ? unchecked : type, config, plainWords);
  const problems: Record<string, string> = {};
  for (const { path, message } of parsed.problems ?? ([] as ConfigProblem[])) {
    const name = String(path[0]);
    const field = type.fields.find((candidate) => candidate.name === name);
    if (field === undefined || !isKept(field)) problems[path.join('.')] ??= message;
  }
  return problems;
}
