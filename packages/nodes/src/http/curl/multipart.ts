import { curlFailure, splitAt } from '../../kit/text/shell-words.ts';
import type { DataPiece } from './command.ts';
import { splitModifiers } from './modifiers.ts';
import type { Body } from './render.ts';
import { type Evaluate, renderWord, requireOneLine } from './render.ts';

interface Field {
  name: string;
  content: string;
  type?: string;
  filename?: string;
}

/** A `multipart/form-data` body. RFC 7578. */
export function renderMultipart(pieces: readonly DataPiece[], evaluate: Evaluate): Body {
  const boundary = `millrace-${crypto.randomUUID()}`;
  const fields = pieces.map((piece) => renderPart(renderField(piece, evaluate)));
  const content = [...fields, ''].map((part) => `--${boundary}${part === '' ? '--\r\n' : part}`).join('\r\n');
  return { content, content_type: `multipart/form-data; boundary=${boundary}` };
}

function renderField({ kind, word }: DataPiece, evaluate: Evaluate): Field {
  const split = splitAt(word, '=');
  if (!split) throw curlFailure('-F needs name=value');
  const name = renderWord(split[0], evaluate);
  if (kind === 'form_string') return { name, content: renderWord(split[1], evaluate) };
  const { content, modifiers } = splitModifiers(split[1]);
  const field: Field = { name, content: renderWord(content, evaluate) };
  for (const { key, word: written } of modifiers) {
    const value = renderWord(written, evaluate);
    if (key === 'type') field.type = value;
    if (key === 'filename') field.filename = value;
  }
  return field;
}

function renderPart({ name, content, type, filename }: Field): string {
  const file = filename === undefined ? '' : `; filename="${quoted(filename)}"`;
  const typeLine =
    type === undefined ? '' : `Content-Type: ${requireOneLine(type, 'the type of a field')}\r\n`;
  return `\r\nContent-Disposition: form-data; name="${quoted(name)}"${file}\r\n${typeLine}\r\n${content}`;
}

/** WHATWG HTML, multipart/form-data encoding: quote and line breaks are percent-encoded in names. */
function quoted(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
