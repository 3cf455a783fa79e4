/** Decrypted configuration of a credential by field name. */
export type CredentialConfig = Readonly<Record<string, unknown>>;

/**
 * `secret`: masked after creation, never answered, masked in everything a run gives out. `url`: `http:` or `https:`.
 * `list`: the type has a schema of its own.
 */
export type CredentialFieldKind = 'text' | 'secret' | 'url' | 'integer' | 'boolean' | 'choice' | 'list';

export interface CredentialField {
  readonly name: string;
  readonly label: string;
  readonly kind: CredentialFieldKind;
  readonly required?: boolean;
  readonly default?: string | number | boolean;
  readonly options?: readonly string[];
  readonly help?: string;
  /** Upper bound of an integer; 65535 unless told, for nearly all are ports. */
  readonly max?: number;
  /** Written by the service after a sign-in, not shown in the form. */
  readonly hidden?: boolean;
}

export type CredentialGroup =
  | 'models'
  | 'http'
  | 'messaging'
  | 'mail'
  | 'stores'
  | 'storage'
  | 'developer'
  | 'productivity';

/** One type of credential (§2.7): its form, its validation, what people and expressions see of it. */
export interface CredentialType {
  readonly type: string;
  readonly title: string;
  readonly group: CredentialGroup;
  readonly fields: readonly CredentialField[];
  /** What a list shows in place of the secret; null shows nothing. */
  readonly masked: (config: CredentialConfig) => string | null;
  /** Value of `$credentials.<name>` (§2.7); undefined: expressions cannot read the type at all. */
  readonly expression: (config: CredentialConfig) => string | undefined;
  /** Not secret and worth showing in a list. */
  readonly public_fields?: readonly string[];
  /** An edit keeps every blank field, not only blank secrets. */
  readonly keeps_blank?: boolean;
  /** A sentence that says what is wrong with fields that are each valid. */
  readonly check?: (config: CredentialConfig) => { field: string; message: string } | undefined;
  /** A language-model provider: selectable for model nodes and as an option of a model router. */
  readonly model?: boolean;
}

const SHOWN = 7;

/** First 7 characters and `**`; shorter secrets show only their length. */
export const maskSecret = (secret: string): string =>
  secret.length > SHOWN ? `${secret.slice(0, SHOWN)}**` : '*'.repeat(secret.length);

/** The field as text; empty when it is absent or not text. */
export function textOf(config: CredentialConfig, name: string): string {
  const value = Object.hasOwn(config, name) ? config[name] : undefined;
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/** Masks the first of the fields that is set. */
export const maskOf =
  (...names: readonly string[]) =>
  (config: CredentialConfig): string | null => {
    const name = names.find((candidate) => textOf(config, candidate) !== '');
    return name === undefined ? null : maskSecret(textOf(config, name));
  };

export const showNothing = (): null => null;

/** Expression value: the first of the fields that is set, else empty text. */
export const valueOf =
  (...names: readonly string[]) =>
  (config: CredentialConfig): string => {
    const name = names.find((candidate) => textOf(config, candidate) !== '');
    return name === undefined ? '' : textOf(config, name);
  };

/** §2.7: coding-runner and issue-tracker credentials are excluded from `$credentials`. */
export const excluded = (): undefined => undefined;

export const text = (name: string, label: string, more: Partial<CredentialField> = {}): CredentialField => ({
  name,
  label,
  kind: 'text',
  ...more,
});
export const secret = (
  name: string,
  label: string,
  more: Partial<CredentialField> = {},
): CredentialField => ({
  name,
  label,
  kind: 'secret',
  ...more,
});
export const url = (name: string, label: string, more: Partial<CredentialField> = {}): CredentialField => ({
  name,
  label,
  kind: 'url',
  ...more,
});
export const port = (
  name: string,
  fallback: number,
  more: Partial<CredentialField> = {},
): CredentialField => ({
  name,
  label: 'Port',
  kind: 'integer',
  default: fallback,
  ...more,
});
export const flag = (name: string, label: string, fallback: boolean): CredentialField => ({
  name,
  label,
  kind: 'boolean',
  default: fallback,
});

export const required = { required: true } as const;
