import type { Json } from '@millrace/engine';
import type { Part, Word } from '../../shared/curl-words.ts';
import type { Evaluate } from './render.ts';

/**
 * A body that is a JSON object or list once its expressions are thought away: values inside quotes are escaped,
 * values outside of quotes become JSON, so that data can never change the structure around it.
 * Undefined when the text is no such JSON.
 *
 * @param isDeclared The request names JSON as its content type. Then a text becomes a JSON text unless it was escaped;
 *   else a text that is JSON itself, as digits are, is inserted as it is, which is how such exports were written.
 */
export function renderJson(word: Word, evaluate: Evaluate, isDeclared: boolean): string | undefined {
  if (!word.some((part) => part.kind === 'expression') || !isStructure(word)) return undefined;
  let isInString = false;
  let text = '';
  for (const part of word) {
    if (part.kind === 'literal') {
      isInString = endsInString(part.text, isInString);
      text += part.text;
    } else {
      text += isInString ? insideQuotes(part, evaluate) : outsideQuotes(part, evaluate, isDeclared);
    }
  }
  return text;
}

function isStructure(word: Word): boolean {
  const skeleton = word.map((part) => (part.kind === 'literal' ? part.text : '0')).join('');
  if (!/^\s*[{[]/.test(skeleton)) return false;
  try {
    JSON.parse(skeleton);
    return true;
  } catch {
    return false;
  }
}

/** Whether a JSON text is inside a string at its end. An escape cannot reach over a part, or the skeleton were no JSON. */
function endsInString(text: string, startsInString: boolean): boolean {
  let isInString = startsInString;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') isInString = !isInString;
  }
  return isInString;
}

function insideQuotes(part: Part, evaluate: Evaluate): string {
  const value = evaluate(part.text, 'template');
  return JSON.stringify(typeof value === 'string' ? value : JSON.stringify(value)).slice(1, -1);
}

function outsideQuotes(part: Part, evaluate: Evaluate, isDeclared: boolean): string {
  const value = evaluate(part.text, 'raw');
  const mayBeJson = !isDeclared || part.text.endsWith('.escape()');
  return mayBeJson && typeof value === 'string' && isJson(value) ? value : JSON.stringify(value);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text) satisfies Json;
    return true;
  } catch {
    return false;
  }
}
