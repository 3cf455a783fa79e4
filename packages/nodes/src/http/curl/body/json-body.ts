import { type Json, jsonQuoting, printValue } from '@millrace/engine';
import type { Part, Word } from '../../../kit/text/shell-words.ts';
import type { Evaluate } from '../render.ts';

/**
 * A body that is a JSON object or list once its expressions are thought away: values inside quotes are escaped,
 * values outside of quotes become JSON, so that data can never change the structure around it.
 * Undefined when the text is no such JSON.
 *
 * @param isDeclared The request names JSON as its content type. Then a text becomes a JSON text unless it was escaped;
 *   else a text that is JSON itself, as digits are, is inserted as it is, which is how such exports were written.
 */
export function renderJson(word: Word, evaluate: Evaluate, isDeclared: boolean): string | undefined {
  if (!word.some((part) => part.kind === 'expression')) return undefined;
  const quoted = jsonQuoting(word);
  if (quoted === null) return undefined;
  let text = '';
  let at = 0;
  for (const part of word) {
    if (part.kind === 'literal') text += part.text;
    else text += quoted[at++] ? insideQuotes(part, evaluate) : outsideQuotes(part, evaluate, isDeclared);
  }
  return text;
}

function insideQuotes(part: Part, evaluate: Evaluate): string {
  const value = evaluate(part.text, 'template');
  return JSON.stringify(printValue(value)).slice(1, -1);
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
