import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../core/app-error.ts';
import type { ByteRange, FileContent, PickRange } from '../ports/file-store.ts';

/** `attachment` with the name in both spellings (RFC 6266): plain for old clients, encoded for all others. */
export function attachment(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_');
  const encoded = encodeURIComponent(filename).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** The parser of ranges gives these in place of ranges. */
const UNSATISFIABLE = -1;
const MALFORMED = -2;

/** Headers under which no browser runs or shows what a stranger uploaded. */
const INERT = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'private, no-store',
};

/**
 * The part of a file that a request asks for; undefined: all of it. Several parts at once are not sent, so all of it is, as the
 * standard says (RFC 9110, section 14.2).
 *
 * @throws AppError 416 with the size for a part beyond the end
 */
async function readRange(
  { method, headers }: Pick<FastifyRequest, 'method' | 'headers'>,
  { size_bytes, etag }: { readonly size_bytes: number; readonly etag: string },
): Promise<ByteRange | undefined> {
  const { range, 'if-range': known = etag } = headers;
  if (method !== 'GET' || range === undefined || known !== etag) return undefined;
  if (!/^bytes=/i.test(range)) return undefined;
  const { default: parseRange } = await import('range-parser');
  const parts = parseRange(size_bytes, range);
  // The last bytes of a file that has fewer are all of it, which the parser does not know.
  if (parts === UNSATISFIABLE && size_bytes > 0 && /^bytes=-0*[1-9]\d*$/i.test(range)) return undefined;
  if (parts === UNSATISFIABLE)
    throw new AppError('range_not_satisfiable', `The file has ${size_bytes} bytes; ask for a part of it`, {
      headers: { 'Content-Range': `bytes */${size_bytes}`, 'Accept-Ranges': 'bytes' },
    });
  return parts === MALFORMED || parts.length !== 1 ? undefined : parts[0];
}

/** The part that a request asks for, once the file is known. */
export const askedRange =
  (request: Pick<FastifyRequest, 'method' | 'headers'>): PickRange =>
  (file) =>
    readRange(request, file);

function describeBytes({ size_bytes, etag, range }: FileContent): Record<string, string> {
  const whole = size_bytes === undefined ? {} : { 'Content-Length': String(size_bytes) };
  const known = etag === undefined ? {} : { 'Accept-Ranges': 'bytes', ETag: etag };
  if (!range) return { ...whole, ...known };
  const { start, end } = range;
  return {
    ...known,
    'Content-Length': String(end - start + 1),
    'Content-Range': `bytes ${start}-${end}/${size_bytes}`,
  };
}

/** Streams bytes as a file to save, never as something to show. */
export function sendDownload(reply: FastifyReply, download: FileContent): FastifyReply {
  const { filename, mime_type, range, stream } = download;
  return reply
    .code(range ? 206 : 200)
    .headers(INERT)
    .headers(describeBytes(download))
    .header('Content-Type', mime_type)
    .header('Content-Disposition', attachment(filename))
    .send(stream);
}
