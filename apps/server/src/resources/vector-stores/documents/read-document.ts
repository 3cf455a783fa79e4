import { finished } from 'node:stream/promises';
import { AppError } from '../../../core/app-error.ts';
import { decoderFor } from '../../../core/decoder.ts';
import { MEGABYTE } from '../../../core/units.ts';

/** How a file becomes a text in Markdown, by the end of its name. Libraries are loaded when the first such file comes. */
const READERS: Readonly<Record<string, (bytes: Uint8Array) => Promise<string>>> = {
  txt: plainText,
  md: plainText,
  markdown: plainText,
  json: async (bytes) => JSON.stringify(JSON.parse(await plainText(bytes)), null, 2),
  csv: async (bytes) => fromRows(await plainText(bytes)),
  html: async (bytes) => fromHtml(await plainText(bytes)),
  htm: async (bytes) => fromHtml(await plainText(bytes)),
  pdf: fromPdf,
  docx: fromWord,
};

export const DOCUMENT_TYPES: readonly string[] = Object.keys(READERS);

/** A document of this size has some thousand chunks. */
const MOST_PAGES = 2_000;
/** Of the parts of a Word file, unpacked. */
const MOST_UNPACKED_BYTES = 200 * MEGABYTE;

const endOf = (filename: string): string => filename.split('.').at(-1)?.toLowerCase() ?? '';

/** Refuses a file whose type cannot be read, before it is received. */
export function requireReadableName(filename: string): void {
  if (filename.includes('.') && Object.hasOwn(READERS, endOf(filename))) return;
  throw new AppError(
    'bad_request',
    `"${filename}" is of no type that can be read: ${DOCUMENT_TYPES.join(', ')}`,
  );
}

/** The text of a file in Markdown. Fails with `bad_request` when the file is damaged or has no text. */
export async function readDocument(filename: string, bytes: Uint8Array): Promise<string> {
  requireReadableName(filename);
  const read = READERS[endOf(filename)];
  const text = await read?.(bytes).catch((error: unknown) => {
    if (error instanceof AppError) throw error;
    throw new AppError('bad_request', `"${filename}" is damaged or is no ${endOf(filename)} file`, {
      cause: error,
    });
  });
  if (text !== undefined && text.trim() !== '') return text;
  throw new AppError('bad_request', `"${filename}" holds no text; scanned pages need text recognition first`);
}

export function plainText(bytes: Uint8Array): Promise<string> {
  return Promise.resolve(decoderFor(bytes).decode(bytes));
}

/** Each row with the names of its columns, so that a chunk can be understood by itself. */
async function fromRows(text: string): Promise<string> {
  const { default: papaparse } = await import('papaparse');
  const { data } = papaparse.parse<string[]>(text.trim(), { skipEmptyLines: 'greedy' });
  const [header = [], ...rows] = data;
  if (rows.length === 0) return header.join(', ');
  return rows
    .map((row) => row.map((value, at) => `${header[at] ?? `column ${at + 1}`}: ${value}`).join('\n'))
    .join('\n\n');
}

async function fromHtml(html: string): Promise<string> {
  const { default: Turndown } = await import('turndown');
  const converter = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced' });
  return converter.remove(['script', 'style', 'head', 'title', 'noscript', 'iframe']).turndown(html);
}

async function fromPdf(bytes: Uint8Array): Promise<string> {
  return (await pagesOfPdf(bytes)).join('\n\n');
}

/** Texts of the pages of a PDF file. */
export async function pagesOfPdf(bytes: Uint8Array): Promise<string[]> {
  const { extractText, getDocumentProxy } = await import('unpdf');
  const document = await getDocumentProxy(bytes);
  if (document.numPages > MOST_PAGES) {
    throw new AppError('bad_request', `The file has ${document.numPages} pages; ${MOST_PAGES} are the most`);
  }
  return (await extractText(document, { mergePages: false })).text;
}

async function fromWord(bytes: Uint8Array): Promise<string> {
  return fromHtml(await htmlOfWord(bytes));
}

/** The content of a Word file, without its layout. */
export async function htmlOfWord(bytes: Uint8Array): Promise<string> {
  await requireModestZip(bytes);
  const { default: mammoth } = await import('mammoth');
  return (await mammoth.convertToHtml({ buffer: Buffer.from(bytes) })).value;
}

/** A small file can unpack to more than the memory of the service. */
async function requireModestZip(bytes: Uint8Array): Promise<void> {
  const { fromBufferPromise } = await import('yauzl');
  const zip = await fromBufferPromise(Buffer.from(bytes), { lazyEntries: true });
  let total = 0;
  for await (const entry of zip.eachEntry()) {
    total += entry.uncompressedSize;
    if (total > MOST_UNPACKED_BYTES) throw new AppError('bad_request', 'The file is too large when unpacked');
    // The declared size is a claim: the library fails as soon as there are more bytes.
    const stream = await zip.openReadStreamPromise(entry);
    stream.resume();
    await finished(stream);
  }
}
