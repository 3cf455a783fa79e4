import { md5 } from '@noble/hashes/legacy.js';
import { utf8Bytes } from './unicode.ts';

/** MD5 of the UTF-8 bytes as 32 hexadecimal characters. A checksum, not a protection. */
export function md5Hex(text: string): string {
  return Array.from(md5(utf8Bytes(text)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
