import { z } from 'zod';
import type { CredentialField, CredentialType } from './credential-type.ts';

const LONGEST_VALUE = 65_536;

/** Text that every database takes. */
export const storable = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => !value.includes('\0'), 'must not contain NUL characters');

/** Computes only; the engine's compiler settings offer nothing of the platform, so the one used part is declared. */
declare const URL: { canParse(text: string): boolean };

function isWebAddress(value: string): boolean {
  return /^https?:\/\/[^\s]+$/i.test(value) && URL.canParse(value);
}

function valueSchema(field: CredentialField): z.ZodType {
  switch (field.kind) {
    case 'text':
      return storable(4_096).transform((value) => value.trim());
    case 'secret':
      return storable(LONGEST_VALUE);
    case 'url':
      return storable(4_096)
        .transform((value) => value.trim())
        .refine(
          (value) => value === '' || isWebAddress(value),
          'must be an address that starts with https:// or http://',
        );
    case 'integer':
      return z.coerce
        .number('must be a whole number')
        .int()
        .min(0)
        .max(field.max ?? 65_535);
    case 'boolean':
      return z.union([
        z.boolean(),
        z.enum(['true', 'false'], 'must be true or false').transform((value) => value === 'true'),
      ]);
    case 'choice':
      return z.enum((field.options ?? []) as [string, ...string[]]);
    case 'list':
      return z.array(z.unknown());
    default: {
      const unknown: never = field.kind;
      return unknown;
    }
  }
}

export const isBlank = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Whether the form asks for the field beside these values, of which a blank one stands for its default. */
export function isAsked(
  { fields }: Pick<CredentialType, 'fields'>,
  { when }: CredentialField,
  values: Readonly<Record<string, unknown>>,
): boolean {
  if (when === undefined) return true;
  const given = Object.hasOwn(values, when.field) ? values[when.field] : undefined;
  const value = isBlank(given) ? fields.find(({ name }) => name === when.field)?.default : given;
  return value === when.is;
}

export interface ConfigProblem {
  readonly path: (string | number)[];
  readonly message: string;
}

export type ParsedConfig =
  | { readonly config: Record<string, unknown>; readonly problems?: undefined }
  | { readonly config?: undefined; readonly problems: ConfigProblem[] };

function toProblems(error: z.ZodError, prefix: string[]): ConfigProblem[] {
  return error.issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))];
    if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
    return issue.keys.map((key) => ({ path: [...path, key], message: 'is not a known field' }));
  });
}

/** How a finding is worded where the schema has no message of its own. */
type Wording = z.core.$ZodErrorMap;

function parseFields(
  type: CredentialType,
  input: Readonly<Record<string, unknown>>,
  error: Wording,
): ParsedConfig {
  const known = new Set(type.fields.map((field) => field.name));
  const problems: ConfigProblem[] = Object.keys(input)
    .filter((name) => !known.has(name))
    .map((name) => ({ path: [name], message: `is not a field of ${type.title}` }));
  const config: Record<string, unknown> = {};
  for (const field of type.fields) {
    const given = Object.hasOwn(input, field.name) ? input[field.name] : undefined;
    const value = isBlank(given) ? field.default : given;
    const isRequired = field.required && isAsked(type, field, input);
    if (isBlank(value)) {
      if (isRequired) problems.push({ path: [field.name], message: 'is required' });
      continue;
    }
    const parsed = valueSchema(field).safeParse(value, { error });
    if (!parsed.success) problems.push(...toProblems(parsed.error, [field.name]));
    else if (!isBlank(parsed.data)) config[field.name] = parsed.data;
    else if (isRequired) problems.push({ path: [field.name], message: 'is required' });
  }
  return problems.length > 0 ? { problems } : { config };
}

/**
 * Checks the configuration of a type: unknown fields are refused, blank ones take their default or are left out.
 *
 * @param error words for what a schema has no message of its own for
 */
export function parseCredentialConfig(
  type: CredentialType,
  input: Readonly<Record<string, unknown>>,
  error: Wording,
): ParsedConfig {
  if (type.schema) {
    const parsed = type.schema.safeParse(input, { error });
    return parsed.success ? { config: parsed.data } : { problems: toProblems(parsed.error, []) };
  }
  const parsed = parseFields(type, input, error);
  const problem = parsed.config && type.check?.(parsed.config);
  return problem ? { problems: [{ path: [problem.field], message: problem.message }] } : parsed;
}

/**
 * The values that an edit stores: blank secrets keep the stored ones, for they were never shown, as do addresses with a
 * password inside; where the type says so every blank field does (§2.7: an empty `base_url` of a code-hosting credential). `null` clears an optional field.
 */
export function mergeCredentialConfig(
  type: CredentialType,
  stored: Readonly<Record<string, unknown>>,
  input: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...input };
  for (const field of type.fields) {
    const given = Object.hasOwn(input, field.name) ? input[field.name] : undefined;
    if (given !== undefined && given !== '') continue;
    if (!Object.hasOwn(stored, field.name)) continue;
    const isKept =
      type.keeps_blank || field.hidden || field.kind === 'secret' || holdsSecret(type, stored, field.name);
    if (isKept) merged[field.name] = stored[field.name];
  }
  return merged;
}

const PASSWORD_IN_URL = /^([a-z][a-z0-9+.-]*:\/\/[^/@\s]*?:)([^@\s]+)@/i;

/** An address that is shown in place of a secret, with the password that it may hold itself masked. */
export const withoutPassword = (shown: string | null): string | null =>
  shown?.replace(PASSWORD_IN_URL, '$1**@') ?? null;

/** Every secret text of a configuration, also the password inside an address; all are masked in what runs give out. */
export function collectSecrets(type: CredentialType, config: Readonly<Record<string, unknown>>): string[] {
  const secrets = type.fields.flatMap((field) => {
    const value = Object.hasOwn(config, field.name) ? config[field.name] : undefined;
    if (typeof value !== 'string' || value === '') return [];
    const password = PASSWORD_IN_URL.exec(value)?.[2];
    return [...(field.kind === 'secret' ? [value] : []), ...(password === undefined ? [] : [password])];
  });
  return [...new Set([...secrets, ...(type.secrets?.(config) ?? [])])];
}

function holdsSecret(type: CredentialType, config: Readonly<Record<string, unknown>>, name: string): boolean {
  const value = config[name];
  return typeof value === 'string' && collectSecrets(type, config).some((secret) => value.includes(secret));
}

/**
 * The values of a configuration that may be shown: to its owner all that are not secret, so that an edit changes only what
 * was edited; to others those that the type names. An address with a password inside is not shown at all.
 */
export function pickShownFields(
  type: CredentialType,
  config: Readonly<Record<string, unknown>>,
  { is_owner }: { is_owner: boolean },
): Record<string, unknown> {
  const { fields, schema, public_fields = [] } = type;
  const open = fields.filter(({ kind, hidden }) => kind !== 'secret' && !hidden).map(({ name }) => name);
  // A type with a schema has a form and an address of its own for what it holds.
  const names = new Set([...public_fields, ...(is_owner && !schema ? open : [])]);
  const shown = [...names].filter(
    (name) => config[name] !== undefined && config[name] !== '' && !holdsSecret(type, config, name),
  );
  return Object.fromEntries(shown.map((name) => [name, config[name]]));
}

/** Names of the fields of the form that have a value which not even its owner is shown. */
export function listWithheldFields(
  type: CredentialType,
  config: Readonly<Record<string, unknown>>,
): string[] {
  if (type.schema) return [];
  const shown = pickShownFields(type, config, { is_owner: true });
  return type.fields
    .filter(({ name, hidden }) => !hidden && !Object.hasOwn(shown, name) && !isBlank(config[name]))
    .map(({ name }) => name);
}
