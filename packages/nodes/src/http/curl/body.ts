import { curlFailure, splitAt, type Word } from '../../kit/text/shell-words.ts';
import { wellFormed } from '../../kit/text/well-formed.ts';
import type { DataPiece } from './command.ts';
import { isJsonType } from './content-type.ts';
import { renderJson } from './json-body.ts';
import { renderMultipart } from './multipart.ts';
import type { Body } from './render.ts';
import { type Evaluate, renderWord } from './render.ts';

/**
 * The body that the data options of a command describe; undefined when there are none.
 *
 * @param declared Content type that the command names, if any.
 */
export function renderBody(
  pieces: readonly DataPiece[],
  evaluate: Evaluate,
  declared?: string,
): Body | undefined {
  if (pieces.length === 0) return undefined;
  const isForm = pieces.some(({ kind }) => kind === 'form' || kind === 'form_string');
  const isJson = pieces.some(({ kind }) => kind === 'json');
  if (isForm) {
    if (!pieces.every(({ kind }) => kind === 'form' || kind === 'form_string')) {
      throw curlFailure('-F and -d cannot be used together');
    }
    return renderMultipart(pieces, evaluate);
  }
  if (isJson) {
    const content = pieces.map(({ word }) => renderData(word, evaluate, true)).join('');
    return { content, content_type: 'application/json', accept: 'application/json' };
  }
  return {
    content: joined(pieces, evaluate, isJsonType(declared)),
    content_type: 'application/x-www-form-urlencoded',
  };
}

/** Data options joined by `&`, as a form body or as the query that `-G` makes of it. */
export function renderQuery(pieces: readonly DataPiece[], evaluate: Evaluate): string {
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
