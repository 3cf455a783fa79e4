import { curlFailure, splitAt, type Word } from '../../../kit/text/shell-words.ts';
import { wellFormed } from '../../../kit/text/well-formed.ts';
import type { DataPiece } from '../command.ts';
import type { Body } from '../render.ts';
import { type Evaluate, type Rendering, renderWord, requireOneLine } from '../render.ts';
import { isJsonType } from './content-type.ts';
import { renderJson } from './json-body.ts';
import { renderMultipart } from './multipart.ts';
import { findUploads } from './upload.ts';

/**
 * The body that the data options of a command describe; undefined when there are none.
 *
 * @param declared Content type that the command names, if any.
 */
export async function renderBody(
  pieces: readonly DataPiece[],
  rendering: Rendering,
  declared?: string,
): Promise<Body | undefined> {
  if (pieces.length === 0) return undefined;
  const { evaluate } = rendering;
  const isForm = ({ kind }: DataPiece) => kind === 'form' || kind === 'form_string';
  if (pieces.some(isForm)) {
    if (pieces.every(isForm)) return renderMultipart(pieces, rendering);
    throw curlFailure(
      '-F and -d cannot be used together, nor -F and a body that is a file; write each value as -F name=value',
    );
  }
  if (pieces.some(({ kind }) => kind === 'file')) return renderFile(pieces, rendering);
  if (pieces.some(({ kind }) => kind === 'json')) {
    const content = pieces.map(({ word }) => renderData(word, evaluate, true)).join('');
    return { content, content_type: 'application/json', accept: 'application/json' };
  }
  return {
    content: joined(pieces, evaluate, isJsonType(declared)),
    content_type: 'application/x-www-form-urlencoded',
  };
}

/** A body that is one file, with the type of that file. */
async function renderFile([piece, ...others]: readonly DataPiece[], rendering: Rendering): Promise<Body> {
  if (!piece || others.length > 0) {
    throw curlFailure('a file is the whole body; use -F name=@… to send it with other values');
  }
  const option = '--data-binary @… or -T';
  const [file, ...more] = await findUploads(piece.word, rendering, { option, filename: 'file' });
  if (!file || more.length > 0) {
    throw curlFailure(`${option} gives ${more.length + 1} files; give one, or send them with -F name=@…`);
  }
  const content_type = requireOneLine(file.mime_type, 'the type of the file') || 'application/octet-stream';
  return { content: file, content_type, filename: file.filename };
}

/** Data options joined by `&`, as a form body or as the query that `-G` makes of it. */
export function renderQuery(pieces: readonly DataPiece[], evaluate: Evaluate): string {
  if (pieces.some(({ kind }) => kind === 'file')) throw curlFailure('-G cannot send a file; remove -G');
  return joined(pieces, evaluate, false);
}

function joined(pieces: readonly DataPiece[], evaluate: Evaluate, isJson: boolean): string {
  const render = ({ kind, word }: DataPiece): string =>
    kind === 'urlencode' ? urlencoded(word, evaluate) : renderData(word, evaluate, isJson);
  return pieces.map(render).join('&');
}

function renderData(word: Word, evaluate: Evaluate, isJson: boolean): string {
  return renderJson(word, evaluate, isJson) ?? renderWord(word, evaluate);
}

/** curl: `name=content` and `content`; only a written `=` separates, so a value cannot add a name. */
function urlencoded(word: Word, evaluate: Evaluate): string {
  const [name, content] = splitAt(word, '=') ?? [[], word];
  const prefix = renderWord(name, evaluate);
  const encoded = encodeURIComponent(wellFormed(renderWord(content, evaluate)));
  return prefix === '' ? encoded : `${prefix}=${encoded}`;
}
