import { textOfUtf8, utf8Bytes } from './unicode.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Map(
  `${ALPHABET}-_`.split('').map((letter, index) => [letter, index < 64 ? index : index - 2]),
);

/** Base64 (RFC 4648 section 4) of a text's UTF-8 bytes. */
export function base64Encode(text: string): string {
  const bytes = utf8Bytes(text);
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    const letters = letter(group >> 18) + letter(group >> 12) + letter(group >> 6) + letter(group);
    const missing = Math.max(0, at + 3 - bytes.length);
    parts.push(missing === 0 ? letters : letters.slice(0, 4 - missing) + '='.repeat(missing));
  }
  return parts.join('');
}

function letter(bits: number): string {
  return ALPHABET.charAt(bits & 63);
}

/** Text of base64 or base64url, padding optional; null when it is neither. */
export function base64Decode(text: string): string | null {
  const letters = text.replace(/[\s]/g, '').replace(/=+$/, '');
  if (letters.length % 4 === 1) return null;
  const bytes = new Uint8Array(Math.floor((letters.length * 3) / 4));
  let bits = 0;
  let count = 0;
  let size = 0;
  for (const character of letters) {
    const value = VALUES.get(character);
    if (value === undefined) return null;
    bits = ((bits << 6) | value) & 0xffff;
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes[size++] = (bits >> count) & 0xff;
    }
  }
  return textOfUtf8(bytes);
}
