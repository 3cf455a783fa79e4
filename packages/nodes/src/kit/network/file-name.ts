/** The last part of the path of an address, decoded; undefined when its path is empty. */
export function lastPathPart({ pathname }: URL): string | undefined {
  const part = pathname.split('/').findLast((piece) => piece !== '');
  return part === undefined ? undefined : (percentDecoded(part) ?? part);
}

const ENCODED_NAME = /(?:^|;)\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i;
const PLAIN_NAME = /(?:^|;)\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^";\s]+))/i;

/** The name in `Content-Disposition` (RFC 6266): the one with its own character set comes first. */
export function filenameIn(header: string): string | undefined {
  const [, encoded = ''] = ENCODED_NAME.exec(header) ?? [];
  const extended = encoded === '' ? undefined : percentDecoded(encoded);
  if (extended) return extended;
  const [, quoted, token] = PLAIN_NAME.exec(header) ?? [];
  return quoted?.replace(/\\(.)/g, '$1') || token || undefined;
}

/** Undefined when it is no percent-encoded UTF-8. */
function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
