import {
  asksSignIn,
  type CredentialConfig,
  type CredentialType,
  listWithheldFields,
  pickShownFields,
  readConfigText,
  withoutPassword,
} from '@millrace/engine/credential';
import { credentialType } from '@millrace/nodes/credentials';
import { LRUCache } from 'lru-cache';
import { createKeyring, FernetError, type Keyring } from '../../core/secrets/fernet.ts';
import type { Secrets } from '../../core/secrets/secrets-file.ts';
import type { CredentialRow } from './queries.ts';

const keyrings = new WeakMap<Secrets, Keyring>();

export function getKeyring(secrets: Secrets): Keyring {
  const known = keyrings.get(secrets);
  if (known) return known;
  const made = createKeyring(secrets.encryption_keys);
  keyrings.set(secrets, made);
  return made;
}

export interface SealedConfig {
  readonly encrypted_config: string;
  readonly key_id: string;
}

export function sealConfig(secrets: Secrets, config: CredentialConfig, now_ms: number): SealedConfig {
  const keyring = getKeyring(secrets);
  return { encrypted_config: keyring.seal(JSON.stringify(config), now_ms), key_id: keyring.current_id };
}

type Sealed = Pick<CredentialRow, 'encrypted_config' | 'key_id'>;

/** The configuration; undefined when no configured key opens it. */
export function openConfig(secrets: Secrets, row: Sealed): CredentialConfig | undefined {
  try {
    const parsed: unknown = JSON.parse(getKeyring(secrets).open(row.encrypted_config, row.key_id));
    return typeof parsed === 'object' && parsed !== null ? (parsed as CredentialConfig) : undefined;
  } catch (error) {
    if (error instanceof FernetError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The part of a configuration that people see. Holds no more of a secret than its mask. */
export interface Display {
  readonly masked_value: string | null;
  readonly header_key: string | null;
  readonly public_fields: Record<string, unknown>;
  /** The same for its owner. */
  readonly own_fields: Record<string, unknown>;
  /** Names of the fields that have a value and are not shown to the owner either. */
  readonly withheld_fields: string[];
  readonly readable: boolean;
  readonly sign_in: 'missing' | 'connected' | 'ended' | null;
}

const UNREADABLE: Display = {
  masked_value: null,
  header_key: null,
  public_fields: {},
  own_fields: {},
  withheld_fields: [],
  readable: false,
  sign_in: null,
};

function getSignInState(type: CredentialType, config: CredentialConfig): Display['sign_in'] {
  if (!asksSignIn(type, config)) return null;
  if (readConfigText(config, 'access_token') !== '') return 'connected';
  return config['connection'] === 'ended' ? 'ended' : 'missing';
}

/** Of a model router the number of its options is shown, and none of them. */
function showFields(
  type: CredentialType,
  config: CredentialConfig,
  { is_owner }: { is_owner: boolean },
): Record<string, unknown> {
  const { options } = config;
  const counted = type.public_fields?.includes('option_count')
    ? { ...config, option_count: Array.isArray(options) ? options.length : 0 }
    : config;
  return pickShownFields(type, counted, { is_owner });
}

/** By token, so that a list decrypts each configuration once and not on every call. */
const displays = new LRUCache<string, Display>({ max: 20_000 });

export function getDisplay(secrets: Secrets, row: Sealed & Pick<CredentialRow, 'type'>): Display {
  const key = `${getKeyring(secrets).current_id}:${row.encrypted_config}`;
  const known = displays.get(key);
  if (known) return known;
  const type = credentialType(row.type);
  const config = type && openConfig(secrets, row);
  const display: Display = config
    ? {
        masked_value: withoutPassword(type.masked(config)),
        header_key: row.type === 'header' ? readConfigText(config, 'header_key') || null : null,
        public_fields: showFields(type, config, { is_owner: false }),
        own_fields: showFields(type, config, { is_owner: true }),
        withheld_fields: listWithheldFields(type, config),
        readable: true,
        sign_in: getSignInState(type, config),
      }
    : UNREADABLE;
  displays.set(key, display);
  return display;
}
