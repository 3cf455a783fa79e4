import { isJsonObject, type Json, type JsonObject, NodeFailure, readText } from '@millrace/engine';
import { decodedBase64 } from '../../../kit/files/base64.ts';
import { findFileReference } from '../../../kit/files/file-reference.ts';
import { readInlineFile } from '../../../kit/files/inline-file.ts';
import { yieldOnce } from '../../../kit/files/yield-once.ts';
import { filenameIn, lastPathPart } from '../../../kit/network/file-name.ts';
import { curlFailure, type Word } from '../../../kit/text/shell-words.ts';
import type { BodyStream, NodeFiles } from '../../../services.ts';
import { type Rendering, renderWord } from '../render.ts';
import { isStoredReference, notAFile } from './file-word.ts';

/** A file of the run that a request sends. */
export interface Upload extends BodyStream {
  readonly filename: string;
  /** Empty when the file names none. */
  readonly mime_type: string;
}

interface Place {
  /** The option with the name of its field, for errors. */
  readonly option: string;
  /** Of a file by value that has no name; without one such a file is refused. */
  readonly filename?: string | undefined;
}

/** The files that the word behind an `@` gives: one, or all of a list. Nothing is opened yet. */
export async function findUploads(
  word: Word,
  { evaluate, files }: Rendering,
  place: Place,
): Promise<Upload[]> {
  const parts = word.filter(({ text }) => text !== '');
  const [only] = parts;
  const isValue = parts.length === 1 && only?.kind === 'expression';
  const value = isValue ? evaluate(only.text, 'raw') : renderWord(parts, evaluate);
  const found: Upload[] = [];
  for (const item of Array.isArray(value) ? value : [value]) found.push(await findUpload(item, files, place));
  if (found.length > 0) return found;
  throw curlFailure(`${place.option} gives an empty list; it must give a file`);
}

async function findUpload(value: Json, files: NodeFiles, place: Place): Promise<Upload> {
  if (typeof value === 'string' && value.trim() !== '') {
    const reference = value.trim();
    if (!isStoredReference(reference)) throw curlFailure(notAFile(place.option, reference));
    return findStored(reference, files, place);
  }
  if (isJsonObject(value)) {
    const reference = findFileReference(value);
    const isStored = reference !== '' && isStoredReference(reference);
    // A text beside a stored file is about it, such as what was read of it.
    const inline =
      readAnswered(value) ??
      (isStored && value['content_base64'] === undefined ? undefined : readInline(value, place));
    if (inline) return inline;
    if (reference !== '') return findStored(reference, files, place);
  }
  throw curlFailure(
    `${place.option} gives no file; it must give the id of a stored file, or an object with an id or with filename and content_base64`,
  );
}

async function findStored(reference: string, files: NodeFiles, { option }: Place): Promise<Upload> {
  try {
    const { id, filename, mime_type, size_bytes } = await files.find(reference);
    return { filename, mime_type, size_bytes, open: () => readStored(files, id) };
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    const message = `${option}: ${error.message}. Give a file of the Drive that the owner of the workflow has or that is shared with them`;
    throw new NodeFailure({ ...error.failure, field: 'curl', message }, { cause: error });
  }
}

async function* readStored(files: NodeFiles, id: string): AsyncGenerator<Uint8Array> {
  yield* (await files.open(id)).body;
}

const inMemory = (filename: string, mime_type: string, content: Buffer): Upload => ({
  filename,
  mime_type,
  size_bytes: content.length,
  open: () => yieldOnce(content),
});

function readInline(value: JsonObject, { option, filename }: Place): Upload | undefined {
  const isNamed = typeof value['filename'] === 'string' && value['filename'].trim() !== '';
  const holdsText = isNamed && typeof value['content'] === 'string';
  if (typeof value['content_base64'] !== 'string' && !holdsText) return undefined;
  const file = readInlineFile(isNamed || filename === undefined ? value : { ...value, filename });
  if ('problem' in file) throw curlFailure(`${option} gives a file that ${file.problem}`);
  return inMemory(file.filename, file.mime_type, file.content);
}

/** The answer of an HTTP node whose body is base64. */
function readAnswered(value: JsonObject): Upload | undefined {
  const { body, body_encoding, headers, request } = value;
  if (body_encoding !== 'base64' || typeof body !== 'string') return undefined;
  const content = decodedBase64(body);
  if (!content || !isJsonObject(headers) || !isJsonObject(request)) return undefined;
  const url = request['url'];
  const named = filenameIn(readText(headers['content-disposition']));
  const last = typeof url === 'string' && URL.canParse(url) ? lastPathPart(new URL(url)) : undefined;
  const filename = named ?? last;
  const type = headers['content-type'];
  return inMemory(filename ?? 'file', typeof type === 'string' ? type : '', content);
}
