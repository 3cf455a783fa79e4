import { type Json, NodeFailure } from '@millrace/engine';
import { fileReferenceIn } from '../kit/files/file-reference.ts';
import { readBytes } from '../kit/files/read-bytes.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { parsedJson } from '../kit/text/parsed-json.ts';
import { wellFormed } from '../kit/text/well-formed.ts';
import type { NodeFiles, StoredFile } from '../services.ts';

const FIELD = 'codeFiles';
/** As for what scripts and code may leave. */
const MOST_FILES = 50;
const MOST_BYTES = 20_000_000;
/** Of a name in most file systems. */
const LONGEST_NAME = 255;

/** The files of the parameter by the names that the code sees; the same file is passed once. */
export async function readFiles(drive: NodeFiles, value: Json): Promise<ReadonlyMap<string, Uint8Array>> {
  const entries = entriesIn(value);
  if (entries.length > MOST_FILES)
    throw refusedParam(FIELD, `has ${entries.length} files; at most ${MOST_FILES} are passed to the code`);
  const found = new Map<string, StoredFile>();
  for (const [at, entry] of entries.entries()) {
    const file = await find(drive, entry, entries.length > 1 ? `entry ${at + 1}: ` : '');
    found.set(file.id, file);
  }
  requireSize([...found.values()]);
  const files = new Map<string, Uint8Array>();
  for (const { id, filename } of found.values()) {
    files.set(nameFor(filename, files), await readBytes((await drive.open(id)).body));
  }
  return files;
}

/** A list, a list as JSON text, or a single file. */
function entriesIn(value: Json): readonly Json[] {
  const text = typeof value === 'string' ? value.trim() : undefined;
  const given = text?.startsWith('[') ? parsedJson(text) : (text ?? value);
  if (given === undefined) throw refusedParam(FIELD, 'is not valid JSON');
  if (given === null || given === '') return [];
  return Array.isArray(given) ? given : [given];
}

async function find(drive: NodeFiles, entry: Json, place: string): Promise<StoredFile> {
  try {
    return await drive.find(fileReferenceIn({ [FIELD]: entry }, FIELD));
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    const { failure } = error;
    throw new NodeFailure(
      { ...failure, field: FIELD, message: `${place}${failure.message}` },
      { cause: error },
    );
  }
}

function requireSize(files: readonly StoredFile[]): void {
  let size = 0;
  for (const { filename, size_bytes } of files) {
    size += size_bytes;
    if (size > MOST_BYTES)
      throw refusedParam(
        FIELD,
        `"${filename}" exceeds the ${MOST_BYTES / 1e6} MB that are passed to the code; pass fewer or smaller files`,
      );
  }
}

/** The name of a file without folders; a number is added to one that another file has. */
function nameFor(filename: string, taken: ReadonlyMap<string, unknown>): string {
  // oxlint-disable-next-line no-control-regex -- they are what is replaced
  const plain = filename.replaceAll(/[/\\\u0000-\u001f]/g, '_');
  const name = /^\.{0,2}$/.test(plain) ? 'file' : shortened(plain);
  const dot = name.lastIndexOf('.');
  const [stem, end] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  for (let count = 1; ; count++) {
    const numbered = count === 1 ? name : `${stem} (${count})${end}`;
    if (!taken.has(numbered)) return numbered;
  }
}

/** Leaves room for a number. */
function shortened(name: string): string {
  const most = LONGEST_NAME - ' (50)'.length;
  let end = /\.[^.]{1,16}$/.exec(name)?.[0] ?? '';
  let stem = name.slice(0, name.length - end.length);
  if (stem === '') [stem, end] = [end, ''];
  while (Buffer.byteLength(stem + end) > most) stem = stem.slice(0, -1);
  return wellFormed(stem + end);
}
