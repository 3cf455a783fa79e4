import { plainWords } from '@millrace/engine';
import {
  type ConfigProblem,
  type CredentialField,
  type CredentialType,
  parseCredentialConfig,
} from '@millrace/engine/credential';

/** Values of the form by field name: text for what is typed, booleans for switches. */
export type ConfigValues = Readonly<Record<string, unknown>>;

/** The values that the form starts with: defaults, and for a stored credential what may be shown of it. */
export function initialValues(type: CredentialType, shown: ConfigValues = {}): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of type.fields) {
    if (field.hidden) continue;
    const stored = Object.hasOwn(shown, field.name) ? shown[field.name] : undefined;
    values[field.name] = stored ?? field.default ?? (field.kind === 'boolean' ? false : '');
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

/** Blank, so that an edit leaves what is stored. */
const isKept = (type: CredentialType, { name, kind }: CredentialField, values: ConfigValues): boolean =>
  values[name] === '' && (kind === 'secret' || type.keeps_blank === true);

/** Problems by field name. While editing, blank fields count as given, because the server has them. */
export function findProblems(
  type: CredentialType,
  values: ConfigValues,
  editing: boolean,
): Record<string, string> {
  const config = buildConfig(type, values, editing);
  // A combination with what is stored and not shown is for the server to check.
  const isPartial = editing && type.fields.some((field) => !field.hidden && isKept(type, field, values));
  const { check: _, ...unchecked } = type;
  const parsed = parseCredentialConfig(isPartial ? unchecked : type, config, plainWords);
  const problems: Record<string, string> = {};
  for (const { path, message } of parsed.problems ?? ([] as ConfigProblem[])) {
    const name = String(path[0]);
    const field = type.fields.find((candidate) => candidate.name === name);
    const kept = editing && field !== undefined && isKept(type, field, values);
    if (!kept) problems[path.join('.')] ??= message;
  }
  return problems;
}
