import { refusedParam } from '../refused-param.ts';

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
/** How a data URL with base64 begins (RFC 2397); the group is its type. */
const DATA_URL = /^\s*data:([^,;]*)[^,]*;base64,/i;

/** The bytes of a base64 text, also of a data URL. Undefined for what is none, of which Node would decode what comes before. */
export function decodedBase64(text: string): Buffer<ArrayBuffer> | undefined {
  const plain = text.replace(DATA_URL, '').replaceAll(/\s/g, '');
  if (plain.replace(/=+$/, '').length % 4 === 1 || !BASE64.test(plain)) return undefined;
  return Buffer.from(plain, 'base64');
}

/** The same for a parameter that must be base64. */
export function bytesOfBase64(text: string, field: string): Buffer<ArrayBuffer> {
  const bytes = decodedBase64(text);
  if (bytes) return bytes;
  throw refusedParam(field, 'is not base64');
}

/** The type that a data URL names; empty for other texts. */
export const typeOfDataUrl = (text: string): string => DATA_URL.exec(text)?.[1] ?? '';
