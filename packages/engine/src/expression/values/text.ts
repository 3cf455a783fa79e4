import { DateValue, isoText } from '../dates/date-value.ts';
import { type Context, NoValue, produceText, spend, spendText } from '../evaluate/context.ts';
import { ExpressionError } from '../limits.ts';
import { settle } from './settle.ts';

/**
 * The text of a value in a template: `True` and `False`, JSON of lists and objects, ISO dates,
 * and an empty text for null.
 */
export function toText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return Number.isFinite(value) ? String(value) : '';
    case 'boolean':
      return value ? 'True' : 'False';
    case 'object':
      if (value === null) return '';
      return value instanceof DateValue ? isoText(value) : jsonText(value);
    default:
      return '';
  }
}

/** Like toText, but null is `None`: what str() and switch cases compare with. */
export function pythonText(value: unknown): string {
  return value === null || value === undefined ? 'None' : toText(value);
}

/**
 * JSON of plain data, with a space behind every comma and colon, as the product writes it whose exports run here.
 * Throws ExpressionError when it is nested too deeply to be written.
 */
export function jsonText(value: unknown): string {
  try {
    const json = JSON.stringify(value) ?? 'null';
    return typeof value === 'object' ? spaced(json) : json;
  } catch (error) {
    if (error instanceof RangeError)
      throw new ExpressionError('too_deep', 'This value is nested too deeply.');
    throw new NoValue('This value cannot be written as JSON.');
  }
}

/** toText inside an evaluation: paid for, and safe for values that the expression itself has built. */
export function textIn(context: Context, value: unknown): string {
  if (typeof value === 'string') return produceText(context, value);
  if (typeof value !== 'object' || value === null) return produceText(context, toText(value));
  return producedJson(context, toText(context.built ? settle(context, value) : value));
}

export function jsonIn(context: Context, value: unknown): string {
  return producedJson(context, jsonText(settle(context, value)));
}

/** JSON without spaces, as JavaScript writes it. */
export function compactJsonIn(context: Context, value: unknown): string {
  return producedJson(context, JSON.stringify(settle(context, value)) ?? 'null');
}

/** JSON in lines, as JavaScript indents it by a number of spaces or a text. Its length is paid for before it is written. */
export function indentedJsonIn(context: Context, value: unknown, indent: number | string): string {
  const settled = settle(context, value);
  const compact = JSON.stringify(settled) ?? 'null';
  spend(context, compact.length / 5);
  const width = typeof indent === 'number' ? Math.floor(indent) : indent.length;
  spendText(context, countIndented(compact, Math.max(0, Math.min(width, 10)) || 0));
  return produceText(context, JSON.stringify(settled, null, indent) ?? 'null');
}

/** The length of JSON at most when it is indented. */
function countIndented(json: string, width: number): number {
  let [length, depth] = [json.length, 0];
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      at = closingQuote(json, at);
    } else if (code === COLON) {
      length += 1;
    } else if (code === COMMA || code === OPEN_LIST || code === OPEN_OBJECT) {
      if (code !== COMMA) depth += 1;
      length += 1 + depth * width;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      depth -= 1;
      length += 1 + depth * width;
    }
  }
  return length;
}

/** Writing JSON costs several times as much as copying its text. */
function producedJson(context: Context, text: string): string {
  spend(context, text.length / 5);
  return produceText(context, text);
}

const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const QUOTE = 34;
const COMMA = 44;
const COLON = 58;

function spaced(json: string): string {
  let text = '';
  let from = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      at = closingQuote(json, at);
    } else if (code === COMMA || code === COLON) {
      text += `${json.slice(from, at + 1)} `;
      from = at + 1;
    }
  }
  return text + json.slice(from);
}

function closingQuote(json: string, open: number): number {
  for (let at = json.indexOf('"', open + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let slashes = 0;
    while (json[at - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return at;
  }
  return json.length;
}
