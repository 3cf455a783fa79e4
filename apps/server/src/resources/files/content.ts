import { ZipFile } from 'yazl';
import { notFound } from '../../core/app-error.ts';
import {
  type FileContent,
  type FileStore,
  type PickRange,
  StoredFileMissing,
} from '../../ports/file-store.ts';
import { createNamer } from '../folders/names.ts';
import type { FileRow } from './queries.ts';

/** The bytes of a file, or the part of them that is wanted, where parts are sent; not found when the store has lost them. */
export async function openContent(
  store: FileStore,
  file: FileRow,
  pickRange?: PickRange,
): Promise<FileContent> {
  const { filename, mime_type, size_bytes } = file;
  const etag = `"${file.sha256}"`;
  const range = await pickRange?.({ size_bytes, etag });
  try {
    const stream = await store.get(file.storage_key, range);
    return { filename, mime_type, size_bytes, ...(pickRange ? { etag, range } : {}), stream };
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
