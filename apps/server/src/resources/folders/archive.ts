import { MEGABYTE } from '@millrace/engine/units';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { AppError } from '../../core/app-error.ts';
import { pathProblem } from './names.ts';

/** Upper bounds of an archive; what is beyond is refused before it is inflated. */
export const ARCHIVE_LIMITS = {
  archive_bytes: 64 * MEGABYTE,
  entries: 5_000,
  entry_bytes: 16 * MEGABYTE,
  total_bytes: 256 * MEGABYTE,
  ratio: 100,
  /** Below this size no ratio is suspicious. */
  ratio_from_bytes: MEGABYTE,
} as const;

const SYMLINK = 0o120000;
const FILE_TYPE = 0o170000;
/** Left by archivers of desktop systems. */
const CLUTTER = /(^|\/)(__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$)/;

export interface ArchiveFile {
  /** Path inside the archive, checked to be harmless. */
  readonly path: string;
  readonly bytes: Buffer;
}

export interface Archive {
  readonly files: ArchiveFile[];
  /** Paths of folders that are named by themselves, without the slash at their end. */
  readonly folders: string[];
}

const refused = (message: string) => new AppError('bad_request', message);

function requireEntry(entry: Entry): void {
  const problem = pathProblem(entry.fileName);
  if (problem) throw refused(`The archive entry ${JSON.stringify(entry.fileName)} ${problem}`);
  const mode = entry.externalFileAttributes >>> 16;
  if ((mode & FILE_TYPE) === SYMLINK) throw refused(`The archive entry "${entry.fileName}" is a link`);
  if (entry.isEncrypted()) throw refused(`The archive entry "${entry.fileName}" is encrypted`);
  if (entry.uncompressedSize > ARCHIVE_LIMITS.entry_bytes) {
    throw new AppError('too_large', `The archive entry "${entry.fileName}" is too large`);
  }
  const suspicious = entry.uncompressedSize > ARCHIVE_LIMITS.ratio_from_bytes;
  if (suspicious && entry.uncompressedSize > entry.compressedSize * ARCHIVE_LIMITS.ratio) {
    throw refused(
      `The archive entry "${entry.fileName}" expands to more than ${ARCHIVE_LIMITS.ratio} times its size`,
    );
  }
}

/** Inflates one entry; the declared size is a claim, so the bytes are counted too. */
async function inflate(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const stream = await zip.openReadStreamPromise(entry);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += (chunk as Buffer).length;
    if (size > entry.uncompressedSize)
      throw refused(`The archive entry "${entry.fileName}" is larger than declared`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

async function readEntries(zip: ZipFile): Promise<Archive> {
  if (zip.entryCount > ARCHIVE_LIMITS.entries) {
    throw new AppError('too_large', `The archive has more than ${ARCHIVE_LIMITS.entries} entries`);
  }
  const archive: Archive = { files: [], folders: [] };
  const seen = new Set<string>();
  let total = 0;
  for await (const entry of zip.eachEntry()) {
    requireEntry(entry);
    total += entry.uncompressedSize;
    if (total > ARCHIVE_LIMITS.total_bytes)
      throw new AppError('too_large', 'The archive is too large when unpacked');
    if (seen.has(entry.fileName)) throw refused(`The archive names "${entry.fileName}" twice`);
    seen.add(entry.fileName);
    if (CLUTTER.test(entry.fileName)) continue;
    if (entry.fileName.endsWith('/')) archive.folders.push(entry.fileName.slice(0, -1));
    else archive.files.push({ path: entry.fileName, bytes: await inflate(zip, entry) });
  }
  return archive;
}

/** Reads a ZIP into memory within the limits. Refuses anything that could escape the folder or exhaust memory. */
export async function readArchive(bytes: Buffer): Promise<Archive> {
  let zip: ZipFile;
  try {
    zip = await fromBufferPromise(bytes, { strictFileNames: true, validateEntrySizes: true });
  } catch {
    throw refused('The file is not a ZIP archive');
  }
  try {
    return await readEntries(zip);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('bad_request', 'The archive is damaged or contains names that are not allowed', {
      cause: error,
    });
  } finally {
    zip.close();
  }
}
