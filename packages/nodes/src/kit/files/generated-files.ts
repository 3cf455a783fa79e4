import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import type { NodeFiles } from '../../services.ts';
import { wellFormed } from '../text/well-formed.ts';
import { type FileRecord, fileRecord } from './file-record.ts';

/**
 * Stores what code or a script left in `_OUTPUT_DIR`, by paths in it, as files of the Drive: `_generated_files` of an output.
 *
 * @param key of the work that made them. What it leaves again in the same place is stored once; another attempt may leave something
 * else there, which is a file of its own.
 */
export async function storeGeneratedFiles(
  files: NodeFiles,
  generated: Iterable<readonly [path: string, bytes: Uint8Array]>,
  key: string,
): Promise<FileRecord[]> {
  const stored: FileRecord[] = [];
  for (const [path, bytes] of generated) {
    const filename = wellFormed(path.split('/').at(-1) ?? path);
    const hash = createHash('sha256').update(`${path}\0`).update(bytes).digest('hex');
    const place = `${key}:${stored.length + 1}:${hash}`;
    stored.push(fileRecord(await files.store({ filename, body: Readable.from([bytes]), key: place })));
  }
  return stored;
}

/** The files that the output of a node lists in `_generated_files`. */
export function generatedFilesIn(output: Json): JsonObject[] {
  const files = isJsonObject(output) ? output['_generated_files'] : undefined;
  return Array.isArray(files) ? files.filter(isJsonObject) : [];
}
