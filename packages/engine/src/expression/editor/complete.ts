import type { ExpressionMode } from '../compile.ts';
import { compileProgram } from '../evaluate/compile.ts';
import { Context, NoValue, type Scope } from '../evaluate/context.ts';
import { createScope } from '../evaluate/scope.ts';
import { ExpressionError } from '../limits.ts';
import { SyntaxFailure } from '../syntax/ast.ts';
import { parseExpression } from '../syntax/parse.ts';
import { typeName } from '../values/compare.ts';
import { isObject } from '../values/settle.ts';
import { type CursorPlace, findCursorPlace } from './cursor-place.ts';
import { functionDocs, methodDocs, type ReceiverType } from './docs.ts';

/** Names that the editor knows, with their last or a sample value. */
export interface Known {
  readonly values: Readonly<Record<string, unknown>>;
  /** One line per name, shown beside it. */
  readonly details?: Readonly<Record<string, string>>;
  readonly mode?: ExpressionMode;
  readonly timezone?: string;
}

export interface Completion {
  readonly label: string;
  readonly kind: 'name' | 'key' | 'property' | 'method' | 'function';
  /** Replaces the text from `from` to the cursor. */
  readonly insert: string;
  readonly from: number;
  /** Signature of what is called, type of what is read. */
  readonly detail: string;
  readonly doc: string;
}

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const BUILT_IN: Readonly<Record<string, string>> = {
  now: 'The current time.',
  UUID: 'A new identifier of 32 hexadecimal characters.',
};
const MAX_KEYS = 500;

/** Completions that may follow at the cursor, best first: data before methods before functions. */
export function complete(text: string, cursor: number, known: Known): Completion[] {
  const before = text.slice(0, cursor);
  const place = findCursorPlace(before, isExpressionField(before, known.mode));
  switch (place.kind) {
    case 'outside':
      return [];
    case 'name':
      return matching(nameCompletions(place, known), before.slice(place.from).replace('$', ''));
    case 'member':
      return matching(memberCompletions(place, known), before.slice(place.from));
    default: {
      const never: never = place;
      return never;
    }
  }
}

/** Behind its first `$`, such a field is an expression also outside of brackets. */
function isExpressionField(before: string, mode: ExpressionMode | undefined): boolean {
  return (mode === 'value' || mode === 'raw' || mode === 'condition') && /^\s*\$.*\s/.test(before);
}

/** A completion with the other names of what it calls. */
interface Candidate extends Completion {
  readonly aliases?: readonly string[];
}

function matching(candidates: readonly Candidate[], typed: string): Completion[] {
  const wanted = typed.toLowerCase();
  const completions = candidates.map((candidate) => named(candidate, wanted));
  const starts = completions.filter((completion) => completion.label.toLowerCase().startsWith(wanted));
  const contains = completions.filter(
    (completion) => !starts.includes(completion) && completion.label.toLowerCase().includes(wanted),
  );
  return wanted.length < 2 ? starts : [...starts, ...contains];
}

/** Under the name that is being typed: its own, or else an alias that begins so. */
function named({ aliases = [], ...completion }: Candidate, wanted: string): Completion {
  const { label, insert } = completion;
  const isBegun = (name: string): boolean => name.toLowerCase().startsWith(wanted);
  const alias = wanted === '' || isBegun(label) ? undefined : aliases.find(isBegun);
  return alias === undefined
    ? completion
    : { ...completion, label: alias, insert: insert.replace(label, alias) };
}

function nameCompletions(place: CursorPlace & { kind: 'name' }, known: Known): Candidate[] {
  const sign = place.dollar ? '$' : '';
  const names = Object.keys(known.values).filter((name) => IDENTIFIER.test(name));
  const data = names.map(
    (name): Completion => ({
      label: name,
      kind: 'name',
      insert: sign + name,
      from: place.from,
      detail: typeName(known.values[name]),
      doc: known.details?.[name] ?? '',
    }),
  );
  const builtIn = Object.entries(BUILT_IN).map(
    ([label, doc]): Completion => ({
      label,
      kind: 'name',
      insert: sign + label,
      from: place.from,
      detail: label === 'now' ? 'date' : 'string',
      doc,
    }),
  );
  const item: Completion[] =
    place.item === null || place.dollar
      ? []
      : [
          {
            label: 'item',
            kind: 'name',
            insert: 'item',
            from: place.from,
            detail: 'element',
            doc: 'The current element.',
          },
        ];
  const calls = functionDocs.map(
    (entry): Candidate => ({
      label: entry.name,
      aliases: entry.aliases,
      kind: 'function',
      insert: `${sign}${entry.name}(`,
      from: place.from,
      detail: entry.signature,
      doc: entry.doc,
    }),
  );
  return [...item, ...data, ...builtIn, ...calls];
}

function memberCompletions(place: CursorPlace & { kind: 'member' }, known: Known): Candidate[] {
  const scope = scopeFor(place, known);
  const value = evaluateLive(place.receiver, scope);
  const type = typeName(value);
  const keys = isObject(value) ? Object.keys(value).slice(0, MAX_KEYS) : [];
  const data = keys.map(
    (key): Completion => keyCompletion(key, value as Record<string, unknown>, place.from),
  );
  const types = new Set<ReceiverType>(type === 'null' ? ['any'] : [type, 'any']);
  const members = methodDocs
    .filter((entry) => types.has(entry.type) && !keys.includes(entry.name))
    .map(
      (entry): Candidate => ({
        label: entry.name,
        aliases: entry.aliases,
        kind: entry.property ? 'property' : 'method',
        insert: entry.property ? entry.name : `${entry.name}(`,
        from: place.from,
        detail: entry.signature,
        doc: entry.doc,
      }),
    );
  return [...data, ...members];
}

/** A key that is no identifier is reached with brackets, in place of the dot before it. */
function keyCompletion(key: string, value: Record<string, unknown>, from: number): Completion {
  const detail = typeName(value[key]);
  if (IDENTIFIER.test(key)) return { label: key, kind: 'key', insert: key, from, detail, doc: '' };
  return { label: key, kind: 'key', insert: `[${JSON.stringify(key)}]`, from: from - 1, detail, doc: '' };
}

function scopeFor(place: CursorPlace & { kind: 'member' }, known: Known): Scope {
  const outer = scopeWith(known.values, known);
  if (place.item === null) return outer;
  const list = evaluateLive(place.item, outer);
  return scopeWith({ ...known.values, item: firstElement(list) }, known);
}

function firstElement(list: unknown): unknown {
  if (Array.isArray(list)) return list[0];
  if (!isObject(list)) return null;
  const [key] = Object.keys(list);
  return key === undefined ? null : { key, value: list[key] };
}

function scopeWith(values: Readonly<Record<string, unknown>>, known: Known): Scope {
  // Only types matter here, so a fixed clock and fixed identifiers do.
  const timezone = known.timezone ?? 'UTC';
  return createScope({ values, now: () => 0, uuid: () => '0'.repeat(32), random: () => 0, timezone });
}

/** The live value, dates included, of an expression; null when it has none. */
function evaluateLive(expression: string, scope: Scope): unknown {
  try {
    const program = compileProgram(parseExpression(expression).node);
    const context = new Context(scope, program.slots);
    return program.code(context);
  } catch (error) {
    if (error instanceof SyntaxFailure || error instanceof NoValue || error instanceof ExpressionError)
      return null;
    throw error;
  }
}
