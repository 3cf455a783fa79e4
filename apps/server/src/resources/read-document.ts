import { NodeFailure } from '@millrace/engine';
import { AppError } from '../core/app-error.ts';
import { chunkText } from '../core/documents/chunk.ts';
import { type DOCUMENT_PARSERS, plainText } from '../core/documents/parsers.ts';
import type { DocumentParsers, ServerParsers } from '../ports/parsers.ts';

/** `plain`: only decoded, which is fast enough for the event loop. */
type Reader = 'plain' | Exclude<keyof typeof DOCUMENT_PARSERS, 'pdf_pages' | 'word_html'>;

/** How a file is converted to Markdown, by file extension. */
const READERS: Readonly<Record<string, Reader>> = {
  txt: 'plain',
  md: 'plain',
  markdown: 'plain',
  json: 'json_text',
  csv: 'csv_text',
  html: 'html_text',
  htm: 'html_text',
  pdf: 'pdf_text',
  docx: 'word_text',
};

export const DOCUMENT_TYPES: readonly string[] = Object.keys(READERS);

/** The pages of a long PDF file take a minute. */
const LONGEST_MS = 60_000;

const getExtension = (filename: string): string => filename.split('.').at(-1)?.toLowerCase() ?? '';

/** Refuses a file whose type cannot be read, before it is received. */
export function requireReadableName(filename: string): void {
  if (filename.includes('.') && Object.hasOwn(READERS, getExtension(filename))) return;
  throw new AppError(
    'bad_request',
    `"${filename}" is of no type that can be read: ${DOCUMENT_TYPES.join(', ')}`,
  );
}

/** The parsers to use, and on whose behalf. */
export interface DocumentReading {
  readonly parsers: ServerParsers;
  readonly owner: string;
  readonly signal?: AbortSignal;
}

interface NamedBytes {
  readonly filename: string;
  readonly bytes: Uint8Array;
}

/** Reads a file as Markdown. Fails with `bad_request` when the file is damaged or has no text. */
export async function readDocument(reading: DocumentReading, file: NamedBytes): Promise<string> {
  const { filename, bytes } = file;
  requireReadableName(filename);
  const reader = READERS[getExtension(filename)] ?? 'plain';
  const text = reader === 'plain' ? plainText(bytes) : await parsed(reading, file, reader);
  if (text.trim() !== '') return text;
  throw new AppError('bad_request', `"${filename}" holds no text; scanned pages need text recognition first`);
}

/** Runs a parser on the bytes of a file. Fails with `bad_request` when they are damaged or take too long to parse. */
export async function parsed<Name extends keyof typeof DOCUMENT_PARSERS>(
  { parsers, owner, signal }: DocumentReading,
  { filename, bytes }: NamedBytes,
  name: Name,
): Promise<Awaited<ReturnType<DocumentParsers[Name]>>> {
  const what = `"${filename}"`;
  try {
    return await parsers.run(name, [bytes] as Parameters<DocumentParsers[Name]>, {
      what,
      owner,
      time_ms: LONGEST_MS,
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    if (error instanceof NodeFailure) throw createRefusal(error);
    const problem =
      getExtension(filename) === 'pdf'
        ? 'is damaged or needs a password'
        : `is damaged or is no ${getExtension(filename)} file`;
    throw new AppError('bad_request', `${what} ${problem}`, { cause: error });
  }
}

/** Takes about a millisecond, less than a round trip to another process. */
const SHORT_TEXT = 16_000;

/** Splits the text of a file into chunks, which takes seconds for the largest accepted text. */
export async function chunksOfDocument(
  { parsers, owner, signal }: DocumentReading,
  filename: string,
  text: string,
): Promise<string[]> {
  if (text.length <= SHORT_TEXT) return chunkText(text);
  const options = { what: `"${filename}"`, owner, time_ms: LONGEST_MS, ...(signal ? { signal } : {}) };
  try {
    return await parsers.run('chunks', [text], options);
  } catch (error) {
    throw error instanceof NodeFailure ? createRefusal(error) : error;
  }
}

/** A limit that a document exceeds is permanent (`bad_request`); a full queue is temporary (`unavailable`). */
export function createRefusal(error: NodeFailure): AppError {
  const { message, final } = error.failure;
  return new AppError(final ? 'bad_request' : 'unavailable', message, { cause: error });
}
