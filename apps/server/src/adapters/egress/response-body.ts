import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { OversizedAnswer } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';

export interface BodyLimits {
  host: string;
  /** Counted behind the decompression, so that a small bomb ends like any large answer. */
  max_bytes: number;
}

/** The decompressed bytes of an answer. Ends with a failure as soon as there are more than allowed. */
export async function* limitedBody(
  source: Readable,
  encoding: string,
  { host, max_bytes }: BodyLimits,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of decoded(source, encoding)) {
    size += chunk.length;
    if (size > max_bytes) throw tooLarge(host, max_bytes);
    yield chunk;
  }
}

export function tooLarge(host: string, max_bytes: number): OversizedAnswer {
  const limit = max_bytes < MEGABYTE ? `${max_bytes} bytes` : `${Math.round(max_bytes / MEGABYTE)} MB`;
  return new OversizedAnswer({ kind: 'upstream', message: `${host}: the answer is larger than ${limit}` });
}

/** Codings that were not asked for, and stacked ones, are left as they are. */
async function* decoded(source: Readable, encoding: string): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterableIterator<Uint8Array>;
  const first = await chunks.next();
  // An answer without a body is no broken archive.
  if (first.done) return;
  const decoder = createDecoder(encoding.trim().toLowerCase(), first.value);
  if (!decoder) {
    yield first.value;
    yield* chunks;
    return;
  }
  // A failure on either side destroys the decoder with it, which the loop over the decoder then throws.
  pipeline(Readable.from(startingWith(first.value, chunks)), decoder, () => undefined);
  yield* decoder as AsyncIterable<Uint8Array>;
}

function createDecoder(encoding: string, first: Uint8Array): Transform | undefined {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    case 'deflate':
      // RFC 9110 section 8.4.1.2: some servers send the raw format without the zlib header.
      return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw();
    default:
      return undefined;
  }
}

async function* startingWith(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}
