import { MAX_EXPRESSION_LENGTH } from '../limits.ts';
import {
  type Arguments,
  type Clause,
  type DictEntry,
  type Node,
  SyntaxFailure,
  type SyntaxProblem,
} from './ast.ts';
import { OperatorParser } from './operators.ts';
import {
  type Parsed,
  type ParseOptions,
  parseItemTemplate,
  parseSpanWith,
  parseTextParts,
} from './quoted.ts';
import type { Span } from './spans.ts';
import { type Offsets, type Token, tokenize } from './tokenize.ts';

/** Methods whose text argument is evaluated once per element. */
export const ITEM_METHODS = new Set(['map', 'filter', 'reduce', 'sort', 'distinctBy', 'distinct_by']);
/** Texts that say how sort() sorts. */
export const SORT_WORDS = new Set(['asc', 'desc', 'words']);
const CONSTANTS = new Map<string, null | boolean>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['null', null],
  ['None', null],
  ['undefined', null],
]);
/** Parses a whole text as one expression. Throws SyntaxFailure, and nothing else. */
export function parseExpression(text: string, options: ParseOptions = {}): Parsed {
  const offsets = options.offsets ?? identity;
  if (text.length > MAX_EXPRESSION_LENGTH) {
    const message = `An expression may have at most ${MAX_EXPRESSION_LENGTH} characters.`;
    throw new SyntaxFailure({ code: 'too_long', message, start: offsets(0), end: offsets(text.length) });
  }
  try {
    const parser = new Parser(tokenize(text), { ...options, offsets });
    return { node: parser.parseAll(), scriptOperators: parser.scriptOperators };
  } catch (error) {
    if (!(error instanceof SyntaxFailure) || options.offsets === undefined || error.placed) throw error;
    throw error.moved(offsets);
  }
}

/** Parses one span; the dot that ends a sentence belongs to the span and is dropped. */
export function parseSpan(span: Span): Parsed {
  return parseSpanWith(span, {}, parseExpression);
}

const identity: Offsets = (index) => index;

class Parser extends OperatorParser {
  constructor(tokens: readonly Token[], options: ParseOptions & { offsets: Offsets }) {
    super(tokens, options.offsets, options.nesting ?? 0);
    this.argumentDepth = options.inArguments === true ? 1 : 0;
  }

  parseAll(): Node {
    const node = this.expression();
    const token = this.token;
    if (token.kind !== 'end') throw this.unexpected(token);
    return node;
  }

  protected override postfix(): Node {
    let node = this.#primary();
    for (;;) {
      if (this.accept('.')) node = this.#member(node);
      else if (this.#isAttached('[') && this.accept('[')) node = this.#bracket(node);
      else return node;
    }
  }

  /** A group belongs to what is before it only without a space: `$name (owner)` is text. */
  #isAttached(open: string): boolean {
    return this.isOperator(open) && this.tokens[this.at - 1]?.end === this.token.start;
  }

  #member(object: Node): Node {
    const token = this.take();
    if (token.kind !== 'name' || token.dollar) throw this.unexpected(token, 'Expected a name behind "."');
    const name = token.text;
    if (!this.#isAttached('(')) {
      return this.make({ kind: 'member', object, name, start: object.start, end: this.offsets(token.end) });
    }
    const { call, end } = this.#arguments(name);
    return this.make({ kind: 'method', object, name, call, start: object.start, end });
  }

  #bracket(object: Node): Node {
    return this.deeper(() => {
      this.argumentDepth++;
      const bounds: (Node | null)[] = [this.#bound()];
      while (bounds.length < 3 && this.accept(':')) bounds.push(this.#bound());
      this.argumentDepth--;
      const [index] = bounds;
      const end = this.offsets(this.expect(']').end);
      if (bounds.length > 1) return this.make({ kind: 'slice', object, bounds, start: object.start, end });
      if (index === null || index === undefined) throw this.unexpected(this.token, 'Expected an index');
      return this.make({ kind: 'index', object, index, start: object.start, end });
    });
  }

  #bound(): Node | null {
    return this.isOperator(':') || this.isOperator(']') ? null : this.expression();
  }

  #arguments(method: string | null): { call: Arguments; end: number } {
    return this.deeper(() => {
      this.expect('(');
      this.argumentDepth++;
      const positional: Node[] = [];
      const named: { name: string; value: Node }[] = [];
      while (!this.isOperator(')')) {
        const name = this.#argumentName();
        if (name === null) positional.push(this.#argument(method));
        else named.push({ name, value: this.expression() });
        if (!this.accept(',')) break;
      }
      this.argumentDepth--;
      const end = this.offsets(this.expect(')').end);
      return { call: { positional, named }, end };
    });
  }

  #argumentName(): string | null {
    const token = this.token;
    const next = this.tokens[this.at + 1];
    if (token.kind !== 'name' || token.dollar || next?.kind !== 'operator' || next.text !== '=') return null;
    this.at += 2;
    return token.text;
  }

  #argument(method: string | null): Node {
    const token = this.token;
    const next = this.tokens[this.at + 1];
    const alone = next?.kind === 'operator' && (next.text === ',' || next.text === ')');
    const perItem = method !== null && ITEM_METHODS.has(method) && !SORT_WORDS.has(token.text.slice(1, -1));
    if (token.kind === 'string' && alone && perItem) {
      this.take();
      return this.#itemExpression(token);
    }
    const node = this.expression();
    if (!this.isWord('for')) return node;
    const clauses = this.#clauses();
    return this.make({ kind: 'list_for', element: node, clauses, ...this.#range(node.start) });
  }

  #itemExpression(token: Token & { kind: 'string' }): Node {
    const options = this.#innerOptions(token);
    const place = { start: this.offsets(token.start), end: this.offsets(token.end) };
    let body: Node;
    let problem: SyntaxProblem | null = null;
    try {
      body = parseExpression(token.value, options).node;
    } catch (error) {
      if (!(error instanceof SyntaxFailure) || error.problem.code !== 'syntax') throw error;
      const parts = parseItemTemplate(token.value, options, parseExpression);
      body = this.make({ kind: 'text', parts, ...place });
      problem = error.problem;
    }
    return this.make({ kind: 'item_expression', text: token.value, body, problem, ...place });
  }

  #innerOptions(token: Token & { kind: 'string' }): Required<ParseOptions> {
    const offsets = (index: number): number => this.offsets(token.offsets(index));
    return { offsets, nesting: this.nesting + 1, inArguments: true };
  }

  #range(start: number): { start: number; end: number } {
    const last = this.tokens[this.at - 1];
    return { start, end: last === undefined ? start : this.offsets(last.end) };
  }

  #primary(): Node {
    const token = this.take();
    const start = this.offsets(token.start);
    const end = this.offsets(token.end);
    switch (token.kind) {
      case 'number':
        return this.make({
          kind: 'constant',
          value: Number.isFinite(token.value) ? token.value : null,
          start,
          end,
        });
      case 'string':
        return this.#string(token);
      case 'name':
        return this.#name(token);
      case 'operator':
        if (token.text === '(') return this.#parenthesised();
        if (token.text === '[') return this.#list(start);
        if (token.text === '{') return this.#dict(start);
        throw this.unexpected(token);
      default:
        throw this.unexpected(token);
    }
  }

  #string(token: Token & { kind: 'string' }): Node {
    const place = { start: this.offsets(token.start), end: this.offsets(token.end) };
    const parts = token.value.includes('$')
      ? parseTextParts(token.value, this.#innerOptions(token), parseExpression)
      : [];
    if (parts.every((part) => typeof part === 'string')) {
      return this.make({ kind: 'constant', value: token.value, ...place });
    }
    return this.make({ kind: 'text', parts, ...place });
  }

  #name(token: Token & { kind: 'name' }): Node {
    const start = this.offsets(token.start);
    const name = token.text;
    const dollar = token.dollar;
    if (this.#isAttached('(')) {
      const { call, end } = this.#arguments(null);
      return this.make({ kind: 'call', name, dollar, call, start, end });
    }
    const end = this.offsets(token.end);
    const constant = CONSTANTS.get(name);
    if (constant !== undefined) return this.make({ kind: 'constant', value: constant, start, end });
    return this.make({ kind: 'name', name, dollar, inArguments: this.argumentDepth > 0, start, end });
  }

  #parenthesised(): Node {
    const node = this.expression();
    this.expect(')');
    return node;
  }

  #list(start: number): Node {
    const items: Node[] = [];
    while (!this.isOperator(']')) {
      items.push(this.expression());
      if (items.length === 1 && this.isWord('for')) {
        const clauses = this.#clauses();
        this.expect(']');
        return this.make({ kind: 'list_for', element: items[0] as Node, clauses, ...this.#range(start) });
      }
      if (!this.accept(',')) break;
    }
    this.expect(']');
    return this.make({ kind: 'list', items, ...this.#range(start) });
  }

  #dict(start: number): Node {
    const entries: DictEntry[] = [];
    while (!this.isOperator('}')) {
      const key = this.or();
      this.expect(':');
      entries.push({ key, value: this.expression() });
      if (entries.length === 1 && this.isWord('for')) {
        const clauses = this.#clauses();
        this.expect('}');
        return this.make({
          kind: 'dict_for',
          entry: entries[0] as DictEntry,
          clauses,
          ...this.#range(start),
        });
      }
      if (!this.accept(',')) break;
    }
    this.expect('}');
    return this.make({ kind: 'dict', entries, ...this.#range(start) });
  }

  #clauses(): Clause[] {
    const clauses: Clause[] = [];
    while (this.accept('for')) {
      const names = [this.#variable()];
      while (this.accept(',')) names.push(this.#variable());
      this.expect('in');
      const source = this.or();
      const conditions: Node[] = [];
      while (this.accept('if')) conditions.push(this.or());
      clauses.push({ names, source, conditions });
    }
    return clauses;
  }

  #variable(): string {
    const token = this.take();
    if (token.kind !== 'name' || token.dollar) throw this.unexpected(token, 'Expected a variable name');
    return token.text;
  }
}
