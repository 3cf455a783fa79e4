import { isBlockedKey } from '@millrace/engine';

/** Headers of one connection or of the message framing, which this client decides. RFC 9110 section 7.6.1. */
const DECIDED_HERE = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers in the flat form that the connection takes: name, value, name, value. */
export function sentHeaders(headers: readonly (readonly [string, string])[]): string[] {
  const flat = ['accept-encoding', 'gzip, deflate, br'];
  for (const [name, value] of headers) {
    if (!DECIDED_HERE.has(name.toLowerCase())) flat.push(name, headerBytes(value));
  }
  if (!headers.some(([name]) => name.toLowerCase() === 'user-agent')) flat.push('user-agent', 'millrace');
  if (!headers.some(([name]) => name.toLowerCase() === 'accept')) flat.push('accept', '*/*');
  return flat;
}

/** A header is bytes, written one character each; text beyond ASCII goes out as UTF-8. */
function headerBytes(value: string): string {
  return Buffer.from(value, 'utf8').toString('latin1');
}

/** Names in lower case; repeated ones joined, `set-cookie` by newline because its values hold commas. */
export function receivedHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || isBlockedKey(name)) continue;
    result[name] = Array.isArray(value) ? value.join(name === 'set-cookie' ? '\n' : ', ') : value;
  }
  return result;
}
