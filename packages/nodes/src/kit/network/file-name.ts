/** The last part of the path of an address, decoded; undefined when its path is empty. */
export function lastPathPart({ pathname }: URL): string | undefined {
  const part = pathname.split('/').findLast((piece) => piece !== '');
  return part === undefined ? undefined : (percentDecoded(part) ?? part);
}

const ENCODED_NAME = /(?:^|;)\s*filename\*\s*=\s*(utf-8|iso-8859-1)'[^']*'([^;\s]+)/i;
/** Without quotes up to the next semicolon: many servers forget them around names with spaces, and browsers keep such names whole. */
const PLAIN_NAME = /(?:^|;)\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^";][^;]*))/i;

/** The name in `Content-Disposition` (RFC 6266): the one with its own character set comes first. */
export function filenameIn(header: string): string | undefined {
  const [, charset = '', encoded = ''] = ENCODED_NAME.exec(header) ?? [];
  const extended = charset.toLowerCase() === 'utf-8' ? percentDecoded(encoded) : latin1Decoded(encoded);
  if (extended) return extended;
  const [, quoted, token] = PLAIN_NAME.exec(header) ?? [];
  return utf8Decoded(quoted?.replace(/\\(.)/g, '$1') ?? token?.trim() ?? '') || undefined;
}

/** Undefined when it is no percent-encoded UTF-8. */
function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const latin1Decoded = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** Headers arrive as Latin-1, though most servers send UTF-8 in them; the text as it is where its bytes are not UTF-8. */
function utf8Decoded(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  if (bytes.toString('latin1') !== text) return text;
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return text;
  }
}
