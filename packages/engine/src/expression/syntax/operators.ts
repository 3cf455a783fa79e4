import type { BinaryOperator, CompareOperator, Comparison, LogicalOperator, Node } from './ast.ts';
import { TokenCursor } from './cursor.ts';

const LOGICAL: Record<string, LogicalOperator> = {
  or: 'or',
  '||': 'or',
  '??': '??',
  and: 'and',
  '&&': 'and',
};
const COMPARE = new Set(['==', '!=', '<', '<=', '>', '>=']);

/** Operators by precedence, loosest first; what is between them is left to the subclass. */
export abstract class OperatorParser extends TokenCursor {
  scriptOperators = false;
  protected argumentDepth = 0;

  protected abstract postfix(): Node;

  protected expression(): Node {
    return this.deeper(() => {
      const first = this.or();
      if (this.isOperator('?')) return this.#scriptChoice(first);
      if (this.accept('if')) {
        const test = this.or();
        this.expect('else');
        const no = this.expression();
        return this.make({
          kind: 'choose',
          test,
          yes: first,
          no,
          script: false,
          start: first.start,
          end: no.end,
        });
      }
      return first;
    });
  }

  #scriptChoice(test: Node): Node {
    this.take();
    this.#noteScript();
    const yes = this.expression();
    this.expect(':');
    const no = this.expression();
    return this.make({ kind: 'choose', test, yes, no, script: true, start: test.start, end: no.end });
  }

  #noteScript(): void {
    if (this.argumentDepth === 0) this.scriptOperators = true;
  }

  protected or(): Node {
    return this.#logical(['or', '||', '??'], () => this.#and());
  }

  #and(): Node {
    return this.#logical(['and', '&&'], () => this.#not());
  }

  #logical(operators: readonly string[], operand: () => Node): Node {
    let left = operand();
    for (;;) {
      const token = this.token;
      if ((token.kind !== 'operator' && token.kind !== 'word') || !operators.includes(token.text))
        return left;
      this.take();
      if (token.kind === 'operator') this.#noteScript();
      const right = operand();
      const operator = LOGICAL[token.text] as LogicalOperator;
      left = this.make({ kind: 'logical', operator, left, right, start: left.start, end: right.end });
    }
  }

  #not(): Node {
    const token = this.token;
    if (!this.accept('not')) return this.#comparison();
    const operand = this.deeper(() => this.#not());
    const start = this.offsets(token.start);
    return this.make({ kind: 'unary', operator: 'not', operand, start, end: operand.end });
  }

  #comparison(): Node {
    const first = this.#sum();
    const rest: Comparison[] = [];
    for (let operator = this.#compareOperator(); operator !== null; operator = this.#compareOperator()) {
      rest.push({ operator, operand: this.#sum() });
    }
    const last = rest.at(-1);
    if (last === undefined) return first;
    return this.make({ kind: 'compare', first, rest, start: first.start, end: last.operand.end });
  }

  #compareOperator(): CompareOperator | null {
    const token = this.token;
    if (token.kind === 'operator' && COMPARE.has(token.text)) {
      this.take();
      return token.text as CompareOperator;
    }
    if (this.accept('in')) return 'in';
    // Not a word of the language elsewhere: nodes and fields may have this name.
    if (token.kind === 'name' && !token.dollar && token.text === 'is') {
      this.take();
      return this.accept('not') ? 'is not' : 'is';
    }
    if (!this.isWord('not')) return null;
    const next = this.tokens[this.at + 1];
    if (next?.kind !== 'word' || next.text !== 'in') return null;
    this.at += 2;
    return 'not in';
  }

  #sum(): Node {
    return this.#binary(['+', '-'], () => this.#binary(['*', '/', '//', '%'], () => this.#unary()));
  }

  #binary(operators: readonly string[], operand: () => Node): Node {
    let left = operand();
    for (;;) {
      const token = this.token;
      if (token.kind !== 'operator' || !operators.includes(token.text)) return left;
      this.take();
      const right = operand();
      const operator = token.text as BinaryOperator;
      left = this.make({ kind: 'binary', operator, left, right, start: left.start, end: right.end });
    }
  }

  #unary(): Node {
    const token = this.token;
    if (token.kind !== 'operator' || (token.text !== '-' && token.text !== '+')) return this.#power();
    this.take();
    const operand = this.deeper(() => this.#unary());
    const start = this.offsets(token.start);
    return this.make({ kind: 'unary', operator: token.text, operand, start, end: operand.end });
  }

  #power(): Node {
    const left = this.postfix();
    if (!this.accept('**')) return left;
    const right = this.deeper(() => this.#unary());
    return this.make({ kind: 'binary', operator: '**', left, right, start: left.start, end: right.end });
  }
}
