/** Texts are counted in code points, so that no operation ever cuts a character in half. */
const SURROGATE = /[\ud800-\udfff]/;

export function hasSurrogates(text: string): boolean {
  return SURROGATE.test(text);
}

export function countCodePoints(text: string): number {
  if (!SURROGATE.test(text)) return text.length;
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    if (!isPairAt(text, at)) length++;
  }
  return length;
}

function isPairAt(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 0xd800 || unit > 0xdbff) return false;
  const next = text.charCodeAt(at + 1);
  return next >= 0xdc00 && next <= 0xdfff;
}

/** The character at a position that is known to be inside. */
export function characterAt(text: string, index: number): string {
  return SURROGATE.test(text) ? (Array.from(text)[index] ?? '') : text.charAt(index);
}

export function sliceText(text: string, from: number, to: number): string {
  return SURROGATE.test(text) ? Array.from(text).slice(from, to).join('') : text.slice(from, to);
}

export function splitCharacters(text: string): string[] {
  return SURROGATE.test(text) ? Array.from(text) : text.split('');
}

/** Position in code points of a position in UTF-16 units. */
export function codePointIndex(text: string, unitIndex: number): number {
  return unitIndex <= 0 ? unitIndex : countCodePoints(text.slice(0, unitIndex));
}

/** Half a character has no UTF-8 form; it becomes the replacement character. */
export function wellFormed(text: string): string {
  return SURROGATE.test(text) ? text.replace(/\p{Surrogate}/gu, '\ufffd') : text;
}

export function utf8Bytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  let size = 0;
  for (let at = 0; at < text.length; at++) {
    let code = text.charCodeAt(at);
    if (isPairAt(text, at)) {
      code = (code - 0xd800) * 0x400 + (text.charCodeAt(at + 1) - 0xdc00) + 0x10000;
      at++;
    } else if (code >= 0xd800 && code <= 0xdfff) {
      code = 0xfffd;
    }
    size = writeCodePoint(bytes, size, code);
  }
  return bytes.subarray(0, size);
}

function writeCodePoint(bytes: Uint8Array, at: number, code: number): number {
  if (code < 0x80) {
    bytes[at] = code;
    return at + 1;
  }
  const length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  bytes[at] = ((0xf00 >> length) & 0xff) | (code >> (6 * (length - 1)));
  for (let index = 1; index < length; index++) {
    bytes[at + index] = 0x80 | ((code >> (6 * (length - 1 - index))) & 0x3f);
  }
  return at + length;
}

/** Reads UTF-8; bytes that are none become the replacement character. */
export function textOfUtf8(bytes: Uint8Array): string {
  const parts: string[] = [];
  let codes: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [code, length] = readCodePoint(bytes, at);
    codes.push(code);
    at += length;
    if (codes.length >= 8192) {
      parts.push(String.fromCodePoint(...codes));
      codes = [];
    }
  }
  parts.push(String.fromCodePoint(...codes));
  return parts.join('');
}

/** Second bytes that would make a code point too small, too large or half of a pair (Unicode table 3-7). */
function isSecondByte(first: number, second: number): boolean {
  if (first === 0xe0) return second >= 0xa0;
  if (first === 0xed) return second <= 0x9f;
  if (first === 0xf0) return second >= 0x90;
  return first !== 0xf4 || second <= 0x8f;
}

function readCodePoint(bytes: Uint8Array, at: number): [code: number, length: number] {
  const first = bytes[at] as number;
  if (first < 0x80) return [first, 1];
  if (first < 0xc2 || first > 0xf4) return [0xfffd, 1];
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  let code = first & (0x7f >> length);
  for (let index = 1; index < length; index++) {
    const next = bytes[at + index];
    const continues = next !== undefined && (next & 0xc0) === 0x80;
    if (!continues || (index === 1 && !isSecondByte(first, next))) return [0xfffd, index];
    code = code * 64 + (next & 0x3f);
  }
  return [code, length];
}
