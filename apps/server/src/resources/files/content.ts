import { ZipFile } from 'yazl';
import { notFound } from '../../core/app-error.ts';
import { type ByteRange, type FileStore, StoredFileMissing } from '../../ports/file-store.ts';
import { createNamer } from '../folders/names.ts';
import type { FileRow } from './queries.ts';

export interface FileContent {
  readonly filename: string;
  readonly mime_type: string;
  readonly size_bytes?: number;
  readonly stream: NodeJS.ReadableStream;
  readonly etag?: string;
  readonly range?: ByteRange | undefined;
}

/** Chooses the part of a file that is wanted, by its size and the name of its bytes. */
export type PickRange = (file: {
  readonly size_bytes: number;
  readonly etag: string;
}) => ByteRange | undefined;

/** The bytes of a file, or the part of them that is wanted; not found when the store has lost them. */
export async function openContent(
  store: FileStore,
  file: FileRow,
  pickRange?: PickRange,
): Promise<FileContent> {
  const { filename, mime_type, size_bytes } = file;
  // The bytes of a file never change.
  const etag = `"${file.id}"`;
  const range = pickRange?.({ size_bytes, etag });
  try {
    const stream = await store.get(file.storage_key, range);
    return { filename, mime_type, size_bytes, etag, range, stream };
  } catch (error) {
    throw error instanceof StoredFileMissing ? notFound('File') : error;
  }
}

/** Stem and extension of a name, the extension only when it is harmless inside an archive. */
function splitFilename(filename: string): [stem: string, extension: string] {
  const match = /^(.+)(\.[A-Za-z0-9]{1,10})$/s.exec(filename);
  return match ? [match[1] ?? filename, match[2] ?? ''] : [filename, ''];
}

/** Several files as one ZIP, each opened when its turn comes. */
export function zipFiles(store: FileStore, files: readonly FileRow[]): FileContent {
  const zip = new ZipFile();
  const name = createNamer();
  for (const file of files) {
    const path = name('', ...splitFilename(file.filename));
    zip.addReadStreamLazy(path, { compress: false, mtime: file.created_at }, (give) => {
      store.get(file.storage_key).then(
        (stream) => give(null, stream),
        (error: unknown) => give(error, undefined as never),
      );
    });
  }
  zip.end();
  return { filename: 'files.zip', mime_type: 'application/zip', stream: zip.outputStream };
}
