import { refusedParam } from './refused-param.ts';

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** The bytes of a base64 text, also of a data URL. What is no base64 is refused, for Node would decode what comes before. */
export function bytesOfBase64(text: string, field: string): Buffer {
  const plain = text.replace(/^\s*data:[^,]*;base64,/i, '').replaceAll(/\s/g, '');
  if (plain.replace(/=+$/, '').length % 4 === 1 || !BASE64.test(plain))
    throw refusedParam(field, 'is not base64');
  return Buffer.from(plain, 'base64');
}
