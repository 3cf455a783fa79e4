import { curlFailure, splitAt } from '../../../kit/text/shell-words.ts';
import type { BodyStream } from '../../../services.ts';
import type { DataPiece } from '../command.ts';
import { type Body, type Rendering, renderWord, requireOneLine } from '../render.ts';
import { behindAt } from './file-word.ts';
import { splitModifiers } from './modifiers.ts';
import { findUploads } from './upload.ts';

interface Field {
  name: string;
  content: string | BodyStream;
  type?: string;
  filename?: string;
}

/** A `multipart/form-data` body. RFC 7578. */
export async function renderMultipart(pieces: readonly DataPiece[], rendering: Rendering): Promise<Body> {
  const boundary = `millrace-${crypto.randomUUID()}`;
  const parts: (string | BodyStream)[] = [];
  for (const piece of pieces) {
    for (const field of await renderFields(piece, rendering)) {
      parts.push(`--${boundary}${renderHead(field)}`, field.content, '\r\n');
    }
  }
  parts.push(`--${boundary}--\r\n`);
  return { content: joined(parts), content_type: `multipart/form-data; boundary=${boundary}` };
}

/** One field, or one for each file of a list. */
async function renderFields({ kind, word }: DataPiece, rendering: Rendering): Promise<Field[]> {
  const { evaluate } = rendering;
  const split = splitAt(word, '=');
  if (!split) throw curlFailure('-F needs name=value');
  const name = renderWord(split[0], evaluate);
  if (kind === 'form_string') return [{ name, content: renderWord(split[1], evaluate) }];
  const file = behindAt(split[1]);
  const { content, modifiers } = splitModifiers(file ?? split[1]);
  const given: Pick<Field, 'type' | 'filename'> = {};
  for (const { key, word: written } of modifiers) {
    const value = renderWord(written, evaluate);
    // Nothing in them is the name and the type that the file has.
    if (file && value.trim() === '') continue;
    if (key === 'type') given.type = value;
    if (key === 'filename') given.filename = value;
  }
  if (!file) return [{ name, content: renderWord(content, evaluate), ...given }];
  const uploads = await findUploads(content, rendering, {
    option: `-F ${name}=@…`,
    filename: given.filename,
  });
  return uploads.map((upload) => ({
    name,
    content: upload,
    filename: upload.filename,
    type: upload.mime_type || 'application/octet-stream',
    ...given,
  }));
}

function renderHead({ name, type, filename }: Field): string {
  const file = filename === undefined ? '' : `; filename="${quote(filename)}"`;
  const typeLine =
    type === undefined ? '' : `Content-Type: ${requireOneLine(type, 'the type of a field')}\r\n`;
  return `\r\nContent-Disposition: form-data; name="${quote(name)}"${file}\r\n${typeLine}\r\n`;
}

/** A text when all parts are texts; else their bytes one after the other, those of files read when they are sent. */
function joined(parts: readonly (string | BodyStream)[]): string | BodyStream {
  if (parts.every((part) => typeof part === 'string')) return parts.join('');
  const streams = parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'utf8') : part));
  return {
    size_bytes: streams.reduce((sum, part) => sum + ('open' in part ? part.size_bytes : part.length), 0),
    async *open() {
      for (const part of streams) {
        if ('open' in part) yield* part.open();
        else yield part;
      }
    },
  };
}

/** WHATWG HTML, multipart/form-data encoding: quote and line breaks are percent-encoded in names. */
function quote(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
