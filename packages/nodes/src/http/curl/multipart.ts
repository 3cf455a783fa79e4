import type { DataPiece } from '../../kit/curl-command.ts';
import { curlFailure, splitAt, type Word } from '../../kit/curl-words.ts';
import type { Body } from './body.ts';
import { type Evaluate, renderWord, requireOneLine } from './render.ts';

/** What curl lets follow the content of a field: `;type=text/csv;filename=a.csv`. */
const MODIFIERS = /((?:;(?:type|filename)=[^;]*)+)$/;

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
  for (const modifier of modifiers) {
    const [key, value = ''] = modifier.split('=', 2);
    if (key === 'type') field.type = value;
    if (key === 'filename') field.filename = value.replace(/^"(.*)"$/, '$1');
  }
  return field;
}

/** Only written text can modify a field; a value that ends with `;type=` is content. */
function splitModifiers(word: Word): { content: Word; modifiers: string[] } {
  const last = word.at(-1);
  const found = last?.kind === 'literal' ? MODIFIERS.exec(last.text) : null;
  if (!found || !last) return { content: word, modifiers: [] };
  const text = last.text.slice(0, found.index);
  return {
    content: [...word.slice(0, -1), { kind: 'literal', text }],
    modifiers: (found[1] ?? '').split(';').slice(1),
  };
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
