import { curlFailure, type Word } from '../../kit/text/shell-words.ts';
import { type Evaluate, renderPart, requireOneLine } from './render.ts';

const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
/** A text in which the host has not ended yet. */
const WITHIN_AUTHORITY = /^([a-z][a-z0-9+.-]*:\/\/)?[^/?#\\]*$/i;
/** A host with a domain, complete as it is written. */
const WHOLE_HOST = /\.[\p{L}\p{N}-]*[\p{L}\p{N}]$/u;
/** Text that a value may add to a complete host. */
const FOLLOWS_HOST = /^(:\d*)?([/?#].*)?$/s;
/** Text that a value may add to the beginning of a host: name characters or a port, and then the path. */
const EXTENDS_AUTHORITY = /^[\p{L}\p{N}.\-_:[\]]*([/?#].*)?$/su;

/**
 * The address of a command. A value behind a written host cannot replace that host (`https://api.example$path`
 * with the path `@elsewhere/`); a value at the start is the author's choice of the whole address.
 */
export function renderUrl(word: Word | undefined, evaluate: Evaluate): URL {
  let text = '';
  for (const part of word ?? []) {
    const added = renderPart(part, evaluate);
    if (part.kind === 'expression' && text !== '' && WITHIN_AUTHORITY.test(text)) {
      const allowed = WHOLE_HOST.test(text) ? FOLLOWS_HOST : EXTENDS_AUTHORITY;
      if (!allowed.test(added)) {
        throw curlFailure(`the value of ${part.text} would change the host of the address`);
      }
    }
    text += added;
  }
  return parseUrl(requireOneLine(text.trim(), 'the address'));
}

function parseUrl(text: string): URL {
  if (text === '') throw curlFailure('no address');
  const address = HAS_SCHEME.test(text) ? text : `http://${text}`;
  if (!URL.canParse(address)) throw curlFailure(`"${text.slice(0, 200)}" is not an address`);
  return new URL(address);
}
