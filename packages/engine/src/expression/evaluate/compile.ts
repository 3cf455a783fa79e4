import { isBlockedKey } from '../../json.ts';
import { functionNamed } from '../functions/table.ts';
import { methodNamed } from '../methods/dispatch.ts';
import { type Arguments, type Node, SyntaxFailure, type TextPart } from '../syntax/ast.ts';
import { ITEM_METHODS, parseExpression, SORT_WORDS } from '../syntax/parse.ts';
import { isTruthy } from '../values/compare.ts';
import { textIn } from '../values/text.ts';
import { getElement, readMember, sliceValue } from './access.ts';
import { compileComprehension, compileDict } from './build.ts';
import type { BareNames, Names } from './context.ts';
import {
  type Code,
  Context,
  currentDate,
  NoValue,
  produceList,
  produceText,
  type Scope,
  spend,
} from './context.ts';
import { ItemFunction } from './item-function.ts';
import { getComparison, getOperation } from './operators.ts';

export interface Program {
  readonly code: Code;
  readonly slots: number;
}

/** Turns a parsed expression into closures. */
export function compileProgram(node: Node, bare_names: BareNames = 'value'): Program {
  const slots = { count: 0 };
  const code = compileNode(node, { local: new Map(), slots, bare_names, inItem: false });
  return { code, slots: slots.count };
}

export function compileNode(node: Node, names: Names): Code {
  switch (node.kind) {
    case 'constant': {
      const { value } = node;
      return () => value;
    }
    case 'text':
      return compileText(node.parts, names);
    case 'name':
      return compileName(node, names);
    case 'member':
      return compileMember(node, names);
    case 'index':
      return compileIndex(node, names);
    case 'slice':
      return compileSlice(node, names);
    case 'call':
      return compileCall(node, names);
    case 'method':
      return compileMethod(node, names);
    case 'unary':
      return compileUnary(node, names);
    case 'binary': {
      const operation = getOperation(node.operator);
      const left = compileNode(node.left, names);
      const right = compileNode(node.right, names);
      return (context) => operation(context, left(context), right(context));
    }
    case 'compare':
      return compileCompare(node, names);
    case 'logical':
      return compileLogical(node, names);
    case 'choose': {
      const test = compileNode(node.test, names);
      const yes = compileNode(node.yes, names);
      const no = compileNode(node.no, names);
      return (context) => (isTruthy(test(context)) ? yes(context) : no(context));
    }
    case 'list': {
      const items = node.items.map((item) => compileNode(item, names));
      return (context) =>
        produceList(
          context,
          items.map((item) => item(context)),
        );
    }
    case 'dict':
      return compileDict(node.entries, { names, compile: compileNode });
    case 'list_for':
    case 'dict_for':
      return compileComprehension(node, { names, compile: compileNode });
    case 'item_expression':
      throw new Error('An item expression is compiled by its method.');
    default: {
      const never: never = node;
      return never;
    }
  }
}

function compileText(parts: readonly TextPart[], names: Names): Code {
  const pieces = parts.map((part) =>
    typeof part === 'string' ? part : { raw: part.raw, code: compileNode(part.node, names) },
  );
  return (context) => {
    let text = '';
    for (const piece of pieces) {
      text += typeof piece === 'string' ? piece : textOrRaw(context, piece);
    }
    return produceText(context, text);
  };
}

/** The text of a span, or the span as it was written when it has no value. */
export function textOrRaw(context: Context, span: { readonly raw: string; readonly code: Code }): string {
  let value: unknown;
  try {
    value = span.code(context);
  } catch (error) {
    if (!(error instanceof NoValue)) throw error;
    spend(context, 50);
  }
  if (value !== null && value !== undefined) return textIn(context, value);
  context.scope.noteUnresolved?.(span.raw, span.raw);
  return span.raw;
}

type NodeOf<K extends Node['kind']> = Node & { readonly kind: K };

function compileName(node: NodeOf<'name'>, names: Names): Code {
  const { name } = node;
  const slot = node.dollar ? outerSlot(name, names) : names.local.get(name);
  if (slot !== undefined) return (context) => context.slots[slot];
  const isBare = !node.dollar && !node.inArguments;
  if (isBare && names.bare_names === 'word') return () => refuseName(name);
  if (isBlockedKey(name)) return () => null;
  if (name === 'now') return currentDate;
  if (name === 'UUID') return (context) => context.scope.uuid();
  if (isBare && names.bare_names === 'existing value') return requireName(name);
  return (context) => known(context.scope.lookup(name));
}

function outerSlot(name: string, names: Names): number | undefined {
  return name === 'item' ? names.outerItem : undefined;
}

function requireName(name: string): Code {
  return (context) => {
    const value = context.scope.lookup(name);
    return value === undefined ? refuseName(name) : known(value);
  };
}

function refuseName(name: string): never {
  throw new NoValue(`There is no ${name}.`, true);
}

function known(value: unknown): unknown {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol' ? null : value;
}

function compileMember(node: NodeOf<'member'>, names: Names): Code {
  const { name } = node;
  if (isBlockedKey(name)) return () => null;
  if (isInput(node.object, names)) return (context) => inputMember(context, name);
  const object = compileNode(node.object, names);
  return (context) => readMember(context, object(context), name);
}

function isInput(node: Node, names: Names): boolean {
  if (node.kind !== 'name' || node.name !== 'input') return false;
  const isWord = !node.inArguments && names.bare_names === 'word';
  return node.dollar || (!isWord && !names.local.has('input'));
}

/** `$input.key` looks in all direct inputs, by way of the scope when it knows more than one. */
function inputMember(context: Context, key: string): unknown {
  const { scope } = context;
  if (scope.inputMember === undefined) return readMember(context, known(scope.lookup('input')), key);
  const value = known(scope.inputMember(key));
  return value ?? readMember(context, known(scope.lookup('input')), key);
}

function compileIndex(node: NodeOf<'index'>, names: Names): Code {
  const object = compileNode(node.object, names);
  if (node.index.kind === 'constant') {
    const index = node.index.value;
    if (typeof index === 'string' && isInput(node.object, names) && !isBlockedKey(index)) {
      return (context) => inputMember(context, index);
    }
    return (context) => getElement(context, object(context), index);
  }
  const index = compileNode(node.index, names);
  return (context) => getElement(context, object(context), index(context));
}

function compileSlice(node: NodeOf<'slice'>, names: Names): Code {
  const object = compileNode(node.object, names);
  const bounds = node.bounds.map((bound) => (bound === null ? null : compileNode(bound, names)));
  return (context) =>
    sliceValue(
      context,
      object(context),
      bounds.map((bound) => bound?.(context) ?? null),
    );
}

function compileUnary(node: NodeOf<'unary'>, names: Names): Code {
  const operand = compileNode(node.operand, names);
  if (node.operator === 'not') return (context) => !isTruthy(operand(context));
  const subtract = getOperation('-');
  if (node.operator === '-') return (context) => subtract(context, 0, operand(context));
  return (context) => subtract(context, operand(context), 0);
}

function compileCompare(node: NodeOf<'compare'>, names: Names): Code {
  const first = compileNode(node.first, names);
  const rest = node.rest.map((part) => ({
    compare: getComparison(part.operator),
    operand: compileNode(part.operand, names),
  }));
  const [only] = rest;
  if (rest.length === 1 && only !== undefined) {
    const { compare, operand } = only;
    return (context) => compare(context, first(context), operand(context));
  }
  return (context) => {
    let left = first(context);
    for (const { compare, operand } of rest) {
      const right = operand(context);
      if (!compare(context, left, right)) return false;
      left = right;
    }
    return true;
  };
}

/** `and` and `or` give the operand that decided, as in both dialects. */
function compileLogical(node: NodeOf<'logical'>, names: Names): Code {
  const left = compileNode(node.left, names);
  const right = compileNode(node.right, names);
  switch (node.operator) {
    case 'and':
      return (context) => {
        const value = left(context);
        return isTruthy(value) ? right(context) : value;
      };
    case 'or':
      return (context) => {
        const value = left(context);
        return isTruthy(value) ? value : right(context);
      };
    case '??':
      return (context) => left(context) ?? right(context);
    default: {
      const never: never = node.operator;
      return never;
    }
  }
}

function compileCall(node: NodeOf<'call'>, names: Names): Code {
  const definition = functionNamed(node.name);
  if (definition === undefined) return () => null;
  const concat = names.inItem && node.name === 'concat';
  const positional = node.call.positional.map((value) =>
    compileNode(concat ? itemPath(value) : value, names),
  );
  const named = node.call.named.map(({ name, value }) => ({ name, code: compileNode(value, names) }));
  if (named.length === 0) {
    return (context) => definition.call(context, evaluateAll(context, positional), NO_NAMED) ?? null;
  }
  return (context) => {
    const values = new Map(named.map(({ name, code }) => [name, code(context)]));
    return definition.call(context, evaluateAll(context, positional), values) ?? null;
  };
}

const NO_NAMED: ReadonlyMap<string, unknown> = new Map();
const ITEM_PATH = /^item(?:\.[A-Za-z_][A-Za-z0-9_]*|\[(?:-?[0-9]+|"[^"\\]*"|'[^'\\]*')\])+$/;

/** In an item expression, concat looks a quoted 'item.path' up. */
function itemPath(node: Node): Node {
  if (node.kind !== 'constant' || typeof node.value !== 'string' || !ITEM_PATH.test(node.value)) return node;
  return parseExpression(node.value, { inArguments: true }).node;
}

function evaluateAll(context: Context, codes: readonly Code[]): unknown[] {
  const values: unknown[] = [];
  for (const code of codes) values.push(code(context));
  return values;
}

function compileMethod(node: NodeOf<'method'>, names: Names): Code {
  const method = methodNamed(node.name);
  const object = compileNode(node.object, names);
  const values = compileMethodArguments(node.name, node.call, names);
  return (context) => method(context, object(context), evaluateAll(context, values));
}

function compileMethodArguments(name: string, call: Arguments, names: Names): Code[] {
  return call.positional.map((value) => {
    if (value.kind === 'item_expression') {
      return name === 'filter' && value.problem !== null ? () => NEVER : compileItem(value, names);
    }
    const code = compileNode(value, names);
    return ITEM_METHODS.has(name) ? (context) => dynamicItem(context, code(context)) : code;
  });
}

/** A condition that cannot be read: as the text that it is elsewhere it would be true for every element. */
const NEVER = new ItemFunction(() => null, 1);

function compileItem(node: NodeOf<'item_expression'>, names: Names): Code {
  const slot = names.slots.count++;
  const local = new Map([...names.local, ['item', slot]]);
  const outer = names.local.get('item');
  const inner: Names = { ...names, local, bare_names: 'value', inItem: true };
  const code = compileNode(node.body, outer === undefined ? inner : { ...inner, outerItem: outer });
  const item = new ItemFunction((context, element) => {
    context.slots[slot] = element;
    return code(context);
  }, node.body.size);
  return () => item;
}

/** An item expression that comes from data must not read credentials or the outputs of nodes. */
function sealed(scope: Scope): Scope {
  return {
    lookup: () => undefined,
    now: () => scope.now(),
    uuid: () => scope.uuid(),
    random: () => scope.random(),
    timezone: scope.timezone,
  };
}

/** An item expression that is itself the result of an expression. It sees `item` and nothing else. */
function dynamicItem(context: Context, text: unknown): unknown {
  if (typeof text !== 'string' || SORT_WORDS.has(text)) return text;
  spend(context, 100 + text.length * 20);
  const node = parseOrNull(text);
  if (node === null) return null;
  const slots = { count: 1 };
  const code = compileNode(node, { local: new Map([['item', 0]]), slots, bare_names: 'value', inItem: true });
  const inner = new Context(sealed(context.scope), slots.count);
  return new ItemFunction((outer, element) => {
    inner.left = outer.left;
    inner.slots[0] = element;
    try {
      return code(inner);
    } finally {
      outer.left = inner.left;
      outer.built ||= inner.built;
    }
  }, node.size + 20);
}

function parseOrNull(text: string): Node | null {
  try {
    return parseExpression(text, { inArguments: true }).node;
  } catch (error) {
    if (error instanceof SyntaxFailure) return null;
    throw error;
  }
}
