import { finished } from 'node:stream/promises';
import { NodeFailure } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import { openMarkdownWriter } from '@millrace/nodes/parsers';
import { decoderFor } from '../decoder.ts';
import { chunkText } from './chunk.ts';

/** A document of this size has a few thousand chunks. */
const MOST_PAGES = 2_000;
/** Total unpacked size of the parts of a Word file. */
const MOST_UNPACKED_BYTES = 200 * MEGABYTE;

const refused = (message: string) => new NodeFailure({ kind: 'limit', message, final: true });

export const plainText = (bytes: Uint8Array): string => decoderFor(bytes).decode(bytes);

/** Each row with its column names, so that a chunk makes sense on its own. */
async function fromRows(text: string): Promise<string> {
  const { default: papaparse } = await import('papaparse');
  const { data } = papaparse.parse<string[]>(text.trim(), { skipEmptyLines: 'greedy' });
  const [header = [], ...rows] = data;
  if (rows.length === 0) return header.join(', ');
  return rows
    .map((row) => row.map((value, at) => `${header[at] ?? `column ${at + 1}`}: ${value}`).join('\n'))
    .join('\n\n');
}

const fromHtml = async (html: string): Promise<string> => (await openMarkdownWriter()).turndown(html);

/** Texts of the pages of a PDF file. */
async function pagesOfPdf(bytes: Uint8Array): Promise<string[]> {
  const { extractText, getDocumentProxy } = await import('unpdf');
  const document = await getDocumentProxy(bytes);
  if (document.numPages > MOST_PAGES)
    throw refused(`The file has ${document.numPages} pages; ${MOST_PAGES} are the most`);
  return (await extractText(document, { mergePages: false })).text;
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
    if (total > MOST_UNPACKED_BYTES) throw refused('The file is too large when unpacked');
    // The declared size is a claim: the library fails as soon as there are more bytes.
    const stream = await zip.openReadStreamPromise(entry);
    stream.resume();
    await finished(stream);
  }
}

/** Parsers for files of the Drive and of vector stores. Arguments and results can be copied between processes. */
export const DOCUMENT_PARSERS = {
  json_text: (bytes: Uint8Array) => JSON.stringify(JSON.parse(plainText(bytes)), null, 2),
  csv_text: (bytes: Uint8Array) => fromRows(plainText(bytes)),
  html_text: (bytes: Uint8Array) => fromHtml(plainText(bytes)),
  word_text: async (bytes: Uint8Array) => fromHtml(await htmlOfWord(bytes)),
  word_html: htmlOfWord,
  pdf_text: async (bytes: Uint8Array) => (await pagesOfPdf(bytes)).join('\n\n'),
  pdf_pages: pagesOfPdf,
};

/** Operations on the text of a document. */
export const TEXT_PARSERS = { chunks: (text: string) => chunkText(text) };
