import { MAX_NESTING, MAX_TREE_DEPTH } from '../limits.ts';
import { listChildren, type Node, SyntaxFailure } from './ast.ts';
import type { Offsets, Token } from './tokenize.ts';

const HINTS: Record<string, string> = {
  '===': 'Use == instead of ===.',
  '!==': 'Use != instead of !==.',
  '!': 'Use "not" instead of "!".',
  '=': 'Use == to compare.',
};

export type Draft = Node extends infer N ? (N extends Node ? Omit<N, 'depth' | 'size'> : never) : never;

/** Reads tokens one after the other and keeps the limits on nesting and height. */
export class TokenCursor {
  protected readonly tokens: readonly Token[];
  protected readonly offsets: Offsets;
  protected at = 0;
  protected nesting: number;

  constructor(tokens: readonly Token[], offsets: Offsets, nesting: number) {
    this.tokens = tokens;
    this.offsets = offsets;
    this.nesting = nesting;
  }

  protected get token(): Token {
    return this.tokens[this.at] as Token;
  }

  protected take(): Token {
    const token = this.token;
    if (token.kind !== 'end') this.at++;
    return token;
  }

  protected isOperator(text: string): boolean {
    const token = this.token;
    return token.kind === 'operator' && token.text === text;
  }

  protected isWord(text: string): boolean {
    const token = this.token;
    return token.kind === 'word' && token.text === text;
  }

  protected accept(text: string): boolean {
    const accepted = this.isOperator(text) || this.isWord(text);
    if (accepted) this.at++;
    return accepted;
  }

  protected expect(text: string): Token {
    const token = this.token;
    if (!this.accept(text)) throw this.unexpected(token, `Expected "${text}"`);
    return token;
  }

  protected unexpected(token: Token, expected?: string): SyntaxFailure {
    const hint = token.kind === 'operator' ? HINTS[token.text] : undefined;
    const isEnd = token.kind === 'end';
    const found = isEnd ? 'the end of the expression' : JSON.stringify(token.text);
    const alone = isEnd ? 'The expression ends too early.' : `Unexpected ${found}.`;
    const message = expected === undefined ? alone : `${expected}, found ${found}.`;
    const start = this.offsets(token.start);
    const end = Math.max(start, this.offsets(token.end));
    return new SyntaxFailure({ code: 'syntax', message: hint ?? message, start, end }, true);
  }

  /** Completes a node with its height and size. */
  protected make(draft: Draft): Node {
    let depth = 1;
    let size = 1;
    for (const child of listChildren({ ...draft, depth, size })) {
      depth = Math.max(depth, child.depth + 1);
      size += child.size;
    }
    if (depth > MAX_TREE_DEPTH) throw this.tooDeep(draft.start, draft.end);
    return { ...draft, depth, size };
  }

  protected deeper<T>(parse: () => T): T {
    const token = this.token;
    this.nesting++;
    if (this.nesting > MAX_NESTING) throw this.tooDeep(this.offsets(token.start), this.offsets(token.end));
    const result = parse();
    this.nesting--;
    return result;
  }

  private tooDeep(start: number, end: number): SyntaxFailure {
    const message = 'This expression is nested too deeply.';
    return new SyntaxFailure({ code: 'too_deep', message, start, end }, true);
  }
}
