import { AppError } from './app-error.ts';

/** Passes bytes on and fails with 413 as soon as there are too many; the rest is never read. */
export async function* limited(
  stream: AsyncIterable<Uint8Array>,
  max_bytes: number,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > max_bytes) throw new AppError('too_large', `The file is larger than ${max_bytes} bytes`);
    yield chunk;
  }
}
