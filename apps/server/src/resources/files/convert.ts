import { NodeFailure } from '@millrace/engine';
import mime from 'mime';
import { AppError } from '../../core/app-error.ts';
import { plainText } from '../../core/documents/parsers.ts';
import { createRefusal, type DocumentReading, parsed, readDocument } from '../read-document.ts';

interface NamedBytes {
  readonly filename: string;
  readonly bytes: Uint8Array;
}
type Convert = (reading: DocumentReading, file: NamedBytes) => string | Promise<string>;

const asMarkdown: Convert = readDocument;

/**
 * Formats that can be made of a file, by the end of its name. Text keeps the marks of Markdown, which tell headings and
 * lists apart.
 */
const CONVERSIONS: Readonly<Record<string, Readonly<Record<string, Convert>>>> = {
  pdf: { md: asMarkdown, txt: asMarkdown },
  docx: {
    md: asMarkdown,
    txt: asMarkdown,
    html: async (reading, file) => page(file.filename, await parsed(reading, file, 'word_html')),
  },
  html: { md: asMarkdown, txt: asMarkdown },
  md: { html: fromMarkdown, txt: asMarkdown },
  txt: {
    html: (_, { filename, bytes }) => page(filename, `<pre>${escaped(plainText(bytes))}</pre>`),
    md: asMarkdown,
  },
  csv: { md: asMarkdown, txt: asMarkdown },
};
const SAME: Readonly<Record<string, string>> = { htm: 'html', markdown: 'md' };

const splitFilename = (filename: string): [stem: string, end: string] => {
  const at = filename.lastIndexOf('.');
  return at > 0 ? [filename.slice(0, at), filename.slice(at + 1).toLowerCase()] : [filename, ''];
};

/** Kind of a file: by the end of its name, or by its content where the name does not say. */
function detectKind(filename: string, mime_type: string): string {
  const [, end] = splitFilename(filename);
  const named = SAME[end] ?? end;
  return Object.hasOwn(CONVERSIONS, named) ? named : (mime.getExtension(mime_type) ?? named);
}

export interface Conversion {
  /** Of the new file. */
  readonly filename: string;
  convert(reading: DocumentReading, bytes: Uint8Array): Promise<Uint8Array>;
}

/** How a file becomes one of another format. Fails with `bad_request` when it cannot, before anything is read. */
export function resolveConversion(
  { filename, mime_type }: { readonly filename: string; readonly mime_type: string },
  format: string,
): Conversion {
  const kind = detectKind(filename, mime_type);
  const possible = Object.hasOwn(CONVERSIONS, kind) ? (CONVERSIONS[kind] ?? {}) : {};
  const wanted = format.trim().toLowerCase().replace(/^\./, '');
  const convert = Object.hasOwn(possible, wanted) ? possible[wanted] : undefined;
  if (!convert) {
    const targets = Object.keys(possible).join(' or ');
    throw new AppError(
      'bad_request',
      targets === ''
        ? `"${filename}" cannot be converted; files of these kinds can: ${Object.keys(CONVERSIONS).join(', ')}`
        : `"${filename}" cannot become ${wanted === '' ? 'a file without a format' : wanted}; it can become ${targets}`,
    );
  }
  const [stem] = splitFilename(filename);
  return {
    filename: `${stem}.${wanted}`,
    convert: async (reading, bytes) =>
      new TextEncoder().encode(await convert(reading, { filename: `${stem}.${kind}`, bytes })),
  };
}

async function fromMarkdown(
  { parsers, owner, signal }: DocumentReading,
  { filename, bytes }: NamedBytes,
): Promise<string> {
  const what = `"${filename}"`;
  try {
    const html = await parsers.run('markdown', [plainText(bytes)], {
      what,
      owner,
      ...(signal ? { signal } : {}),
    });
    return page(filename, html);
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    if (error.failure.kind === 'limit') throw createRefusal(error);
    throw new AppError('bad_request', `${what} ${error.message}`, { cause: error });
  }
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escaped = (text: string): string => text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? '');

const page = (name: string, body: string): string =>
  `<!doctype html>\n<meta charset="utf-8">\n<title>${escaped(splitFilename(name)[0])}</title>\n${body}\n`;
