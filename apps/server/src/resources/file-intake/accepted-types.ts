import { HEAD_BYTES, sniffType } from '../files/content-type.ts';

interface Candidate {
  /** As its bytes say. */
  readonly mime: string;
  readonly filename: string;
}

/**
 * Whether a file matches one of the types, which are MIME types such as `image/*` and endings such as `.csv`, with or without the dot; an empty list
 * allows every file.
 */
export function isAccepted(types: readonly string[], { mime, filename }: Candidate): boolean {
  const name = filename.toLowerCase();
  const matches = (type: string): boolean => {
    if (type === '*' || type === '*/*') return true;
    if (!type.includes('/')) {
      const ending = type.startsWith('.') ? type : `.${type}`;
      return name.length > ending.length && name.endsWith(ending);
    }
    return type.endsWith('/*') ? mime.startsWith(type.slice(0, -1)) : mime === type;
  };
  return types.length === 0 || types.some(matches);
}

/** The type of a body by its first bytes, and the whole body again. */
export async function peekType(
  body: AsyncIterable<Uint8Array>,
  filename: string,
): Promise<{ mime: string; body: AsyncIterable<Uint8Array> }> {
  const source = body[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  let size = 0;
  let isWhole = false;
  while (size < HEAD_BYTES && !isWhole) {
    const next = await source.next();
    if (next.done) isWhole = true;
    else {
      read.push(next.value);
      size += next.value.length;
    }
  }
  async function* whole(): AsyncGenerator<Uint8Array> {
    yield* read.splice(0);
    if (!isWhole) yield* { [Symbol.asyncIterator]: () => source };
  }
  const head = Buffer.concat(read).subarray(0, HEAD_BYTES);
  return { mime: await sniffType(head, filename, size <= HEAD_BYTES && isWhole), body: whole() };
}
