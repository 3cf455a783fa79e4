import { md5, sha1 } from '@noble/hashes/legacy.js';
import { sha224, sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import { utf8Bytes } from './unicode.ts';

const HASHES = new Map(Object.entries({ md5, sha1, sha224, sha256, sha384, sha512 }));
export const HASH_NAMES = [...HASHES.keys()];

/** Hash of the UTF-8 bytes as hexadecimal text; null for a function that is not known. A checksum, not a protection. */
export function hashHex(text: string, algorithm: unknown): string | null {
  const hash = typeof algorithm === 'string' ? HASHES.get(algorithm.toLowerCase()) : undefined;
  if (hash === undefined) return null;
  return Array.from(hash(utf8Bytes(text)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
