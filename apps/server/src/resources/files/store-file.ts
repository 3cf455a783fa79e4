import { createHash } from 'node:crypto';
import { newId } from '../../core/ids.ts';
import { limited } from '../../core/limited.ts';
import { recordAudit } from '../../database/audit.ts';
import { isConnectionLoss } from '../../database/connection-loss.ts';
import type { Db } from '../../database/database.ts';
import { type FileStore, storageKey } from '../../ports/file-store.ts';
import type { Context } from '../../services.ts';
import { HEAD_BYTES, storedType } from './content-type.ts';
import * as queries from './queries.ts';

export interface NewFile {
  /** Absent: a new one. */
  readonly id?: string;
  readonly owner_id: string;
  /**
   * As a person or a service named it: kept as text, cleaned of what cannot be shown. A function is asked when the body has been
   * read, for names that come with it.
   */
  readonly filename: string | (() => string);
  readonly body: AsyncIterable<Uint8Array>;
  readonly max_bytes: number;
  readonly workflow_id?: string | null;
  readonly run_id?: string | null;
  readonly source_node_id?: string | null;
  readonly source_node_label?: string | null;
}

interface Needed {
  readonly db: Db;
  readonly files: FileStore;
  readonly now: () => number;
  readonly actor?: Context['actor'] | undefined;
  readonly request_id?: string;
  readonly client_ip?: string;
}

const LONGEST_NAME = 255;

/** False for controls, lone surrogates and marks that turn the direction of the text around. */
const isShown = (character: string): boolean =>
  !/[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(character);

/** The last part of a name that looks like a path, without characters that cannot be shown. */
export function displayFilename(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const shown = Array.from(last.replaceAll('%22', '"'), (character) => (isShown(character) ? character : ''))
    .join('')
    .trim();
  return Array.from(shown).slice(0, LONGEST_NAME).join('') || 'file';
}

/** Watches bytes go by: how many, their hash, and the first of them. */
function meter(body: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256');
  const head: Uint8Array[] = [];
  let headSize = 0;
  let size = 0;
  async function* watched(): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      hash.update(chunk);
      size += chunk.length;
      if (headSize < HEAD_BYTES) {
        head.push(chunk.subarray(0, HEAD_BYTES - headSize));
        headSize += chunk.length;
      }
      yield chunk;
    }
  }
  return { watched, measured: () => ({ size, sha256: hash.digest('hex'), head: Buffer.concat(head) }) };
}

/**
 * Stores bytes as a file of a person, streaming; a body that is too long leaves nothing behind.
 *
 * @param also what is written with the file or not at all
 */
export async function storeFile(
  ctx: Needed,
  input: NewFile,
  also: (db: Db, file: queries.FileRow) => Promise<void> = () => Promise.resolve(),
): Promise<queries.FileRow> {
  const { owner_id, filename: named, body, max_bytes, id = newId(), ...origin } = input;
  // Not from a given id: were the row there already, cleaning up would remove the bytes of the other file.
  const storage_key = storageKey(newId());
  const { watched, measured } = meter(limited(body, max_bytes));
  await ctx.files.put(storage_key, watched());
  try {
    const { size, sha256, head } = measured();
    const filename = displayFilename(typeof named === 'function' ? named() : named);
    const mime_type = await storedType(head, filename, size <= HEAD_BYTES);
    const row = { ...origin, id, owner_id, filename, storage_key, mime_type, size_bytes: size, sha256 };
    return await ctx.db.transaction(async (tx) => {
      await recordAudit(tx, ctx, {
        action: 'file.created',
        object_kind: 'file',
        object_id: id,
        object_name: filename,
        owner_id,
        details: { size_bytes: size, mime_type },
      });
      const file = await queries.insertFile(tx, { ...row, created_at: new Date(ctx.now()) });
      await also(tx, file);
      return file;
    });
  } catch (error) {
    // Whether the row was stored is not known then: bytes without a row cost space, a row without its bytes is a lost file.
    // Nor may a store that fails as well hide why the file was refused.
    if (!isConnectionLoss(error)) await ctx.files.remove(storage_key).catch(() => undefined);
    throw error;
  }
}

/** Removes a file that nothing has used yet. */
export async function discardFile(
  { db, files }: Pick<Needed, 'db' | 'files'>,
  { owner_id, id }: { owner_id: string; id: string },
): Promise<void> {
  for (const { storage_key } of await queries.deleteOwn(db, owner_id, [id])) await files.remove(storage_key);
}
