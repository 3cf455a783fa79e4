import { isBlockedKey, readJsonText } from '../../json.ts';
import { compileProgram, textOrRaw } from '../evaluate/compile.ts';
import { type Code, Context, NoValue, produceText, type Scope } from '../evaluate/context.ts';
import type { Node } from '../syntax/ast.ts';
import { parseSpan } from '../syntax/parse.ts';
import type { Span } from '../syntax/spans.ts';
import { emptyObject, finish, isObject } from '../values/settle.ts';
import { attempt, limitError, type Plan } from './plan.ts';

/** Written text, or a reference in it. */
export interface JsonPart {
  readonly kind: 'literal' | 'expression';
  readonly text: string;
}

/**
 * Whether a text is a JSON object or list once its references are taken as values, and which of its references, in
 * order, stand inside quotes. Null when it is no such JSON. This one rule holds for value fields and for bodies of
 * HTTP requests.
 */
export function jsonQuoting(parts: readonly JsonPart[]): boolean[] | null {
  const skeleton = parts.map((part) => (part.kind === 'literal' ? part.text : '0')).join('');
  if (!/^\s*[{[]/.test(skeleton) || readJsonText(skeleton) === undefined) return null;
  const quoted: boolean[] = [];
  let isInString = false;
  for (const part of parts) {
    if (part.kind === 'literal') isInString = endsInString(part.text, isInString);
    else quoted.push(isInString);
  }
  return quoted;
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

/** Characters of the private use area: a reference outside of quotes, one inside, and the end of its number. */
const VALUE = '\uE000';
const WITHIN = '\uE001';
const END = '\uE002';
const MARKS = /[\uE000-\uE002]/;
const MARK = /\uE001(\d+)\uE002/;

interface Slot {
  readonly raw: string;
  readonly code: Code;
}

/**
 * The object or list that a text with at least one reference outside of quotes stands for; null when it is none. A
 * reference outside of quotes is its value with its type, one inside is text.
 */
export function jsonLiteralPlan(text: string, spans: readonly Span[]): Plan | null {
  if (!/^\s*[{[]/.test(text) || MARKS.test(text)) return null;
  const quoted = jsonQuoting(splitAtSpans(text, spans));
  if (quoted === null || quoted.every(Boolean)) return null;
  const nodes: Node[] = [];
  const values: Slot[] = [];
  let slots = 0;
  for (const span of spans) {
    const result = attempt(() => parseSpan(span));
    if ('problem' in result) return null;
    const program = compileProgram(result.parsed.node);
    nodes.push(result.parsed.node);
    values.push({ raw: span.text, code: program.code });
    slots = Math.max(slots, program.slots);
  }
  const marked = readJsonText(markedText(text, spans, quoted));
  if (marked === undefined) return null;
  const run = (scope: Scope): unknown => {
    const context = new Context(scope, slots);
    context.built = true;
    try {
      return finish(context, filled(context, marked, values));
    } catch (error) {
      throw limitError(error);
    }
  };
  return { run, nodes, problems: [], isStatic: false, keepsType: true };
}

function splitAtSpans(text: string, spans: readonly Span[]): JsonPart[] {
  const parts: JsonPart[] = [];
  let at = 0;
  for (const span of spans) {
    parts.push(
      { kind: 'literal', text: text.slice(at, span.start) },
      { kind: 'expression', text: span.text },
    );
    at = span.end;
  }
  return [...parts, { kind: 'literal', text: text.slice(at) }];
}

function markedText(text: string, spans: readonly Span[], quoted: readonly boolean[]): string {
  let marked = '';
  let at = 0;
  for (const [index, span] of spans.entries()) {
    const mark = quoted[index] ? `${WITHIN}${index}${END}` : `"${VALUE}${index}"`;
    marked += text.slice(at, span.start) + mark;
    at = span.end;
  }
  return marked + text.slice(at);
}

function filled(context: Context, value: unknown, values: readonly Slot[]): unknown {
  if (typeof value === 'string') return filledText(context, value, values);
  if (Array.isArray(value)) return value.map((item) => filled(context, item, values));
  if (!isObject(value)) return value;
  const object = emptyObject();
  for (const [written, inner] of Object.entries(value)) {
    const key = withTexts(context, written, values);
    if (!isBlockedKey(key)) object[key] = filled(context, inner, values);
  }
  return object;
}

function filledText(context: Context, text: string, values: readonly Slot[]): unknown {
  if (!text.startsWith(VALUE)) return withTexts(context, text, values);
  try {
    return values[Number(text.slice(1))]?.code(context) ?? null;
  } catch (error) {
    if (error instanceof NoValue) return null;
    throw error;
  }
}

function withTexts(context: Context, text: string, values: readonly Slot[]): string {
  const pieces = text.split(MARK);
  const texts = pieces.map((piece, index) => {
    const slot = index % 2 === 1 ? values[Number(piece)] : undefined;
    return slot === undefined ? piece : textOrRaw(context, slot);
  });
  return produceText(context, texts.join(''));
}
