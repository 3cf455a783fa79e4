import mime from 'mime';

/** How many bytes from the start decide the type. */
export const HEAD_BYTES = 4_100;

const BINARY = 'application/octet-stream';
/** Types without a signature of their own; believed by the name when the bytes are text. */
const TEXTUAL =
  /^(text\/|application\/(json|xml|yaml|x-yaml|sql|javascript|x-sh|toml|x-ndjson)|image\/svg\+xml|.*\+(json|xml)$)/;

/** Audio and video: a browser plays them and never runs them as code. Some of these formats have no signature. */
const PLAYED = /^(?:audio|video)\//;

function isText(head: Uint8Array, whole: boolean): boolean {
  if (head.includes(0)) return false;
  try {
    // A character may be cut in two where the head ends.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: !whole });
    return true;
  } catch {
    return false;
  }
}

/**
 * Type of a file by its first bytes. The name only distinguishes kinds of text; the type that the sender claims is ignored.
 *
 * @param whole whether `head` is all of the file
 */
export async function sniffType(head: Uint8Array, filename: string, whole: boolean): Promise<string> {
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(head);
  const named = mime.getType(filename);
  if (found && !(found.mime === 'application/xml' && named && TEXTUAL.test(named))) return found.mime;
  if (!isText(head, whole)) return BINARY;
  return named && TEXTUAL.test(named) ? named : 'text/plain';
}

/** The type that a file is kept with: by its name where its bytes say nothing and the type can do no harm. */
export async function storedType(head: Uint8Array, filename: string, whole: boolean): Promise<string> {
  const found = await sniffType(head, filename, whole);
  const named = mime.getType(filename);
  const isUnknown = found === BINARY || found === 'text/plain';
  return isUnknown && named && PLAYED.test(named) ? named : found;
}
