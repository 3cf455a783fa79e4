import type { FastifyReply } from 'fastify';

/** `attachment` with the name in both spellings (RFC 6266): plain for old clients, encoded for all others. */
export function attachment(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_');
  const encoded = encodeURIComponent(filename).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Headers under which no browser runs or shows what a stranger uploaded. */
const INERT = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'private, no-store',
};

export interface Download {
  readonly filename: string;
  readonly mime_type: string;
  /** Absent when it is only known at the end. */
  readonly size_bytes?: number;
  readonly stream: NodeJS.ReadableStream;
}

/** Streams bytes as a file to save, never as something to show. */
export function sendDownload(reply: FastifyReply, download: Download): FastifyReply {
  const { filename, mime_type, size_bytes, stream } = download;
  return reply
    .headers(INERT)
    .headers(size_bytes === undefined ? {} : { 'Content-Length': String(size_bytes) })
    .header('Content-Type', mime_type)
    .header('Content-Disposition', attachment(filename))
    .send(stream);
}
