import { printValue } from '@millrace/engine';
import type { NodeCall } from '../../implement.ts';
import { curlFailure, type Part, type Word } from '../../kit/text/shell-words.ts';
import type { BodyStream, NodeFiles } from '../../services.ts';

export interface Body {
  content: string | BodyStream;
  /** Of the file that it is. */
  filename?: string;
  /** Sent unless the command names its own. */
  content_type: string;
  accept?: string;
}

export type Evaluate = NodeCall['evaluate'];

/** The part of a call that a command is rendered with. */
export type Rendering = Pick<NodeCall, 'evaluate' | 'isBearer'> & { readonly files: NodeFiles };

/** The text of one part; expressions in their text form, as everywhere in templates. */
export function renderPart(part: Part, evaluate: Evaluate): string {
  if (part.kind === 'literal') return part.text;
  const value = evaluate(part.text, 'template');
  return printValue(value);
}

export function renderWord(word: Word, evaluate: Evaluate): string {
  return word.map((part) => renderPart(part, evaluate)).join('');
}

/** Refuses characters that would end a line of the request, or that no header may hold. RFC 9110 section 5.5. */
export function requireOneLine(text: string, what: string): string {
  if (!holdsControl(text)) return text;
  throw curlFailure(`${what} must not contain line breaks or control characters`);
}

function holdsControl(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) return true;
  }
  return false;
}
