import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/**
 * Fernet tokens: `0x80 ‖ time u64be ‖ iv 16 ‖ AES-128-CBC ciphertext ‖ HMAC-SHA256`, url-safe base64 with padding.
 * The key material is the SHA-256 of the secret (§5.8); its first half signs, its second half encrypts.
 */
const VERSION = 0x80;
const IV_START = 9;
const TEXT_START = 25;
const BLOCK = 16;
const MAC_SIZE = 32;
const KEY_ID_CONTEXT = 'millrace credential key id';

export interface FernetKey {
  /** Names the key without telling anything about it. */
  readonly id: string;
  readonly signing: Buffer;
  readonly encryption: Buffer;
}

/** A token that no known key opens, or that is not one. Never says which byte was wrong. */
export class FernetError extends Error {
  constructor(message = 'The value cannot be decrypted with the configured keys') {
    super(message);
    this.name = 'FernetError';
  }
}

/** @param material 32 bytes: a Fernet key after base64 decoding. */
export function createFernetKey(material: Buffer): FernetKey {
  if (material.length !== 32) throw new FernetError('A key must have 32 bytes');
  return {
    id: createHmac('sha256', material).update(KEY_ID_CONTEXT).digest('hex').slice(0, 16),
    signing: material.subarray(0, 16),
    encryption: material.subarray(16),
  };
}

/** Key of an `ENCRYPTION_KEY` setting. */
export const deriveFernetKey = (secret: string): FernetKey =>
  createFernetKey(createHash('sha256').update(secret, 'utf8').digest());

export interface SealOptions {
  /** Epoch milliseconds; the token keeps whole seconds. */
  readonly now_ms: number;
  /** For test vectors only; random otherwise. */
  readonly iv?: Buffer;
}

export function fernetSeal(
  key: FernetKey,
  plaintext: string,
  { now_ms, iv = randomBytes(16) }: SealOptions,
): string {
  const head = Buffer.alloc(TEXT_START);
  head.writeUInt8(VERSION, 0);
  head.writeBigUInt64BE(BigInt(Math.floor(now_ms / 1000)), 1);
  iv.copy(head, IV_START);
  const cipher = createCipheriv('aes-128-cbc', key.encryption, iv);
  const signed = Buffer.concat([head, cipher.update(plaintext, 'utf8'), cipher.final()]);
  const mac = createHmac('sha256', key.signing).update(signed).digest();
  return Buffer.concat([signed, mac]).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}

const TOKEN = /^[A-Za-z0-9_-]+={0,2}$/;

/** Throws `FernetError` unless the signature holds; nothing is decrypted before it was checked. */
export function fernetOpen(key: FernetKey, token: string): string {
  if (!TOKEN.test(token) || token.length % 4 !== 0) throw new FernetError();
  const bytes = Buffer.from(token, 'base64url');
  const textLength = bytes.length - TEXT_START - MAC_SIZE;
  if (textLength < BLOCK || textLength % BLOCK !== 0 || bytes[0] !== VERSION) throw new FernetError();
  const signed = bytes.subarray(0, bytes.length - MAC_SIZE);
  const mac = createHmac('sha256', key.signing).update(signed).digest();
  if (!timingSafeEqual(mac, bytes.subarray(signed.length))) throw new FernetError();
  try {
    const decipher = createDecipheriv('aes-128-cbc', key.encryption, bytes.subarray(IV_START, TEXT_START));
    return Buffer.concat([decipher.update(signed.subarray(TEXT_START)), decipher.final()]).toString('utf8');
  } catch {
    throw new FernetError();
  }
}

/** The current key and the former ones, which only open. */
export interface Keyring {
  readonly current_id: string;
  has(key_id: string): boolean;
  seal(plaintext: string, now_ms: number): string;
  /** Tries the named key first, then the others. Throws `FernetError`. */
  open(token: string, key_id?: string): string;
  /** The same text under the current key; undefined where that sealed it already, and where no key opens it. */
  reseal(token: string, now_ms: number): string | undefined;
}

function opened(open: () => string): string | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof FernetError) return undefined;
    throw error;
  }
}

/** @param secrets the current secret, then former ones. */
export function createKeyring(secrets: readonly string[]): Keyring {
  const keys = secrets.map(deriveFernetKey);
  const [current] = keys;
  if (!current) throw new FernetError('There is no encryption key');
  const byId = new Map(keys.map((key) => [key.id, key]));

  function open(token: string, key_id?: string): string {
    const named = key_id === undefined ? undefined : byId.get(key_id);
    const others = keys.filter((key) => key !== named);
    for (const key of named ? [named, ...others] : others) {
      const text = opened(() => fernetOpen(key, token));
      if (text !== undefined) return text;
    }
    throw new FernetError();
  }

  const seal = (plaintext: string, now_ms: number) => fernetSeal(current, plaintext, { now_ms });
  return {
    current_id: current.id,
    has: (key_id) => byId.has(key_id),
    seal,
    open,
    reseal(token, now_ms) {
      if (opened(() => fernetOpen(current, token)) !== undefined) return undefined;
      const text = opened(() => open(token));
      return text === undefined ? undefined : seal(text, now_ms);
    },
  };
}
