import type { z } from 'zod';
import type { IconShape } from '../node-type/icon.ts';

/** Decrypted configuration of a credential by field name. */
export type CredentialConfig = Readonly<Record<string, unknown>>;

/**
 * `secret`: masked after creation, never returned by the API, masked in everything that leaves a run. `url`: `http:` or `https:`.
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
  /** Upper bound of an integer; 65535 by default, because nearly all are ports. */
  readonly max?: number;
  /** Written by the service after a sign-in, not shown in the form. */
  readonly hidden?: boolean;
  /** Shown, and required, only while another field has that value. */
  readonly when?: { readonly field: string; readonly is: string };
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

/** The target and authentication of the calls made with a credential. */
export interface Service {
  /** Absolute, without a slash at its end. */
  readonly base_url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One harmless call that shows whether a credential works. */
export interface ConnectionTest {
  /** GET by default. */
  readonly method?: 'GET' | 'POST';
  /** Appended to the base address of the service. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** How a person signs in at the provider of a service, so that calls are made for them (RFC 6749 section 4.1, RFC 7636). */
export interface OauthSignIn {
  readonly authorization_url: string;
  readonly token_url: string;
  /** RFC 7009. */
  readonly revocation_url?: string;
  /** The name that the provider gives itself in its answers (RFC 9207); absent when it does not say. */
  readonly issuer?: string;
  readonly scopes: readonly string[];
  /** Between scopes; a space by default (RFC 6749 section 3.3). */
  readonly scope_separator?: string;
  /** Further parameters of the authorization request. */
  readonly extra?: Readonly<Record<string, string>>;
  /** How the client proves itself to the token endpoint (RFC 6749 section 2.3.1); `none` for clients without a secret. */
  readonly client_auth: 'basic' | 'post' | 'none';
  /** Whether every answer names the issuer (RFC 9207 section 3); one that does not is then refused. */
  readonly sends_issuer?: boolean;
  /** The service that the tokens are for (RFC 8707). */
  readonly resource?: string;
  /** The client that signs in; that of the fields `client_id` and `client_secret` by default. */
  readonly client?: OauthClient;
  /**
   * The address that the client of a provider always comes back to, where nothing of this service answers: the person copies
   * it out of the browser then.
   */
  readonly redirect_uri?: string;
  /** Whether `id_token` is stored as well (OpenID Connect Core section 2), for programs that want to see it. */
  readonly keeps_identity?: boolean;
}

export interface OauthClient {
  readonly client_id: string;
  /** Empty for clients without a secret. */
  readonly client_secret: string;
}

/** A key that signs for itself in place of a person (RFC 7523 section 2.1). */
export interface ServiceAccount {
  readonly token_url: string;
  readonly issuer: string;
  /** PEM of a PKCS #8 key for RS256. */
  readonly private_key: string;
  readonly key_id?: string;
  /** Person it acts for, where the provider allows that. */
  readonly subject?: string;
  readonly scopes: readonly string[];
}

/** One type of credential (§2.7): its form, its validation, what is visible to people and expressions. */
export interface CredentialType {
  readonly type: string;
  readonly title: string;
  /** Names by which people know the service, if the title lacks them; the same in every language. */
  readonly brand?: string;
  readonly group: CredentialGroup;
  readonly fields: readonly CredentialField[];
  /** The text that a list shows in place of the secret; null shows nothing. */
  readonly masked: (config: CredentialConfig) => string | null;
  /** Value of `$credentials.<name>` (§2.7); undefined: expressions cannot read the type at all. */
  readonly expression: (config: CredentialConfig) => string | undefined;
  /** Not secret, and shown to everyone who may use the credential; its owner sees all fields that are not secret. */
  readonly public_fields?: readonly string[];
  /** An edit keeps every blank field, not only blank secrets. */
  readonly keeps_blank?: boolean;
  /** The problem with a combination of fields that are each valid. */
  readonly check?: (config: CredentialConfig) => { field: string; message: string } | undefined;
  /** Secret texts inside its values, for a field that holds several. */
  readonly secrets?: (config: CredentialConfig) => readonly string[];
  /** Replaces `fields` as the check of a configuration, for shapes that fields cannot describe. */
  readonly schema?: z.ZodObject;
  /** How HTTP calls are made with it; undefined for protocols other than HTTP, and when the configuration allows no calls. */
  readonly connect?: (config: CredentialConfig) => Service | undefined;
  readonly test?: ConnectionTest;
  /** The error in a response, for services that answer 200 with an error inside. */
  readonly problem?: (answer: unknown) => string | undefined;
  /** The sign-in that the configuration asks for; undefined when it needs none. Tokens are kept in `oauthTokenFields`. */
  readonly oauth?: (config: CredentialConfig) => OauthSignIn | undefined;
  /**
   * Whether the service itself names where people sign in, which is asked before each sign-in and kept in hidden fields;
   * `oauth` reads those, and is undefined before.
   */
  readonly discovers?: (config: CredentialConfig) => boolean;
  /** The account that gets its tokens without a person; undefined when the configuration has none. */
  readonly service_account?: (config: CredentialConfig) => ServiceAccount | undefined;
  /** Its own icon instead of the one of its group. */
  readonly icon?: string | IconShape;
  /** A language-model provider: selectable for model nodes and as an option of a model router. */
  readonly model?: boolean;
  /** False: nothing uses it, so forms do not offer it; it can still be stored for imported workflows. */
  readonly is_offered?: boolean;
}

/** Whether a person has to sign in before the configuration can be used. */
export const asksSignIn = (
  type: Pick<CredentialType, 'oauth' | 'discovers'>,
  config: CredentialConfig,
): boolean => type.oauth?.(config) !== undefined || type.discovers?.(config) === true;

/** The client of a sign-in. */
export const getOauthClient = (signIn: Pick<OauthSignIn, 'client'>, config: CredentialConfig): OauthClient =>
  signIn.client ?? {
    client_id: readConfigText(config, 'client_id'),
    client_secret: readConfigText(config, 'client_secret'),
  };

const SHOWN = 7;

/** First 7 characters and `**`; shorter secrets show only their length. */
export const maskSecret = (secret: string): string =>
  secret.length > SHOWN ? `${secret.slice(0, SHOWN)}**` : '*'.repeat(secret.length);

/** The field as text; empty when it is absent or not text. */
export function readConfigText(config: CredentialConfig, name: string): string {
  const value = Object.hasOwn(config, name) ? config[name] : undefined;
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/** Masks the first of the fields that is set. */
export const maskFirst =
  (...names: readonly string[]) =>
  (config: CredentialConfig): string | null => {
    const name = names.find((candidate) => readConfigText(config, candidate) !== '');
    return name === undefined ? null : maskSecret(readConfigText(config, name));
  };

export const showNothing = (): null => null;

/** Expression value: the first of the fields that is set, else empty text. */
export const readFirst =
  (...names: readonly string[]) =>
  (config: CredentialConfig): string => {
    const name = names.find((candidate) => readConfigText(config, candidate) !== '');
    return name === undefined ? '' : readConfigText(config, name);
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

/** Fields that the service stores after a sign-in: `token_expiry` is an ISO time, `connection` is `connected` or `ended`. */
export const oauthTokenFields: readonly CredentialField[] = [
  secret('access_token', 'Access token', { hidden: true }),
  secret('refresh_token', 'Refresh token', { hidden: true }),
  secret('id_token', 'ID token', { hidden: true }),
  text('token_expiry', 'Token expiry', { hidden: true }),
  text('scope', 'Scope', { hidden: true }),
  text('account', 'Account', { hidden: true }),
  text('connection', 'Connection', { hidden: true }),
];

export const required = { required: true } as const;

export const apiKey = secret('api_key', 'API key', required);

/** The common part of types whose only secret is an API key. */
export const keyed = { masked: maskFirst('api_key'), expression: readFirst('api_key') };

/** Base address without slashes at its end, so that paths can be appended. */
export const readBaseUrl = (config: CredentialConfig, name: string, fallback = ''): string =>
  (readConfigText(config, name) || fallback).replace(/\/+$/, '');

/** Headers of the bearer scheme (RFC 6750 section 2.1). */
export const bearer = (token: string): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${token}`,
});

/** A service whose calls carry one key as a bearer token, at an address that people may give. */
interface BearerService {
  /** Field of the key. */
  readonly key: CredentialField;
  /** Field of the address of the server. */
  readonly address: CredentialField;
  /** Address when the field is blank; without it a blank field allows no calls. */
  readonly fallback?: string;
  /** Appended to the address in every call, such as `/api`. */
  readonly path?: string;
  /** Sent together with the token. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The common part of the credential types of such services, in the order of the form: key, then address. */
export function bearerService({ key, address, fallback = '', path = '', headers }: BearerService) {
  return {
    fields: [key, address],
    masked: maskFirst(key.name),
    expression: readFirst(key.name),
    public_fields: [address.name],
    connect: (config) => {
      const base = readBaseUrl(config, address.name, fallback);
      if (base === '') return undefined;
      return {
        base_url: `${base}${path}`,
        headers: { ...bearer(readConfigText(config, key.name)), ...headers },
      };
    },
  } satisfies Partial<CredentialType>;
}

/** Reads responses with a field that states whether the call was accepted, regardless of their status: `{"ok": false, "error": "..."}`. */
export const refusalIn =
  (accepted: string, reason: string) =>
  (answer: unknown): string | undefined => {
    const { [accepted]: ok, [reason]: words } = (answer ?? {}) as Record<string, unknown>;
    if (ok === true) return undefined;
    return typeof words === 'string' ? `The service refused it: ${words}` : 'The service refused it';
  };
