import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../core/app-error.ts';

type Unpack = () => Readable & NodeJS.WritableStream;

const UNPACKERS: Readonly<Record<string, Unpack>> = {
  gzip: createUnzip,
  'x-gzip': createUnzip,
  deflate: createUnzip,
  br: createBrotliDecompress,
};

/** The `Content-Encoding` of a request; empty for none. */
export function readEncoding({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  return encoding === 'identity' ? '' : encoding;
}

/**
 * Unpacks a body piece by piece, as far as pieces are asked for.
 *
 * @param encoding one that the scope lets pass, see `refuseEncodings`
 */
export async function* unpack(packed: Buffer, encoding: string): AsyncGenerator<Buffer> {
  const unpacker = UNPACKERS[encoding]?.();
  if (unpacker === undefined) throw notUnpackable(encoding);
  unpacker.end(packed);
  try {
    for await (const chunk of unpacker) yield chunk as Buffer;
  } catch (error) {
    throw notUnpackable(encoding, error);
  }
}

const notUnpackable = (encoding: string, cause?: unknown): AppError =>
  new AppError(
    'bad_request',
    `The request body is damaged, or is not what Content-Encoding says: ${encoding}`,
    { cause },
  );

/**
 * Answers other encodings in words (RFC 9110 section 15.5.16): taken as they are, such bodies would be garbage.
 *
 * @param known those that the routes of this scope can unpack
 */
export function refuseEncodings(app: FastifyInstance, known: 'unpacked' | 'none'): void {
  app.addHook('onRequest', (request, _reply, next) => {
    const encoding = readEncoding(request.raw);
    if (encoding === '') return next();
    if (known === 'unpacked' && Object.hasOwn(UNPACKERS, encoding)) return next();
    const message = `Send the body as it is, without Content-Encoding: ${encoding.slice(0, 50)}`;
    const accepted = known === 'unpacked' ? 'gzip, deflate, br' : 'identity';
    return next(
      new AppError('unsupported_media_type', message, { headers: { 'Accept-Encoding': accepted } }),
    );
  });
}
