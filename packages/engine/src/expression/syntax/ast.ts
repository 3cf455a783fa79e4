/** Positions are offsets into the text the author wrote, also for parts inside quoted arguments. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

interface Shape extends Place {
  /** Height of the tree below and including this node. */
  readonly depth: number;
  /** Count of nodes: what one evaluation of this tree costs. */
  readonly size: number;
}

export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**';
export type CompareOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in' | 'is' | 'is not';
export type LogicalOperator = 'and' | 'or' | '??';

export type Node = Shape & NodeKind;

type NodeKind =
  | { readonly kind: 'constant'; readonly value: null | boolean | number | string }
  | { readonly kind: 'text'; readonly parts: readonly TextPart[] }
  | { readonly kind: 'name'; readonly name: string; readonly dollar: boolean; readonly inArguments: boolean }
  | { readonly kind: 'member'; readonly object: Node; readonly name: string }
  | { readonly kind: 'index'; readonly object: Node; readonly index: Node }
  | { readonly kind: 'slice'; readonly object: Node; readonly bounds: readonly (Node | null)[] }
  | { readonly kind: 'call'; readonly name: string; readonly dollar: boolean; readonly call: Arguments }
  | { readonly kind: 'method'; readonly object: Node; readonly name: string; readonly call: Arguments }
  | { readonly kind: 'unary'; readonly operator: '-' | '+' | 'not'; readonly operand: Node }
  | { readonly kind: 'binary'; readonly operator: BinaryOperator; readonly left: Node; readonly right: Node }
  | { readonly kind: 'compare'; readonly first: Node; readonly rest: readonly Comparison[] }
  | {
      readonly kind: 'logical';
      readonly operator: LogicalOperator;
      readonly left: Node;
      readonly right: Node;
    }
  | {
      readonly kind: 'choose';
      readonly test: Node;
      readonly yes: Node;
      readonly no: Node;
      readonly script: boolean;
    }
  | { readonly kind: 'list'; readonly items: readonly Node[] }
  | { readonly kind: 'dict'; readonly entries: readonly DictEntry[] }
  | { readonly kind: 'list_for'; readonly element: Node; readonly clauses: readonly Clause[] }
  | { readonly kind: 'dict_for'; readonly entry: DictEntry; readonly clauses: readonly Clause[] }
  | {
      readonly kind: 'item_expression';
      readonly text: string;
      readonly body: Node;
      /** Why `text` is no expression; `body` is then a text that names the element. */
      readonly problem: SyntaxProblem | null;
    };

/** Literal text, or a value whose text replaces `raw`; `raw` stays when there is no value. */
export type TextPart = string | { readonly raw: string; readonly node: Node };
export interface Comparison {
  readonly operator: CompareOperator;
  readonly operand: Node;
}
export interface DictEntry {
  readonly key: Node;
  readonly value: Node;
}
/** `for <names> in <source> if <conditions>` */
export interface Clause {
  readonly names: readonly string[];
  readonly source: Node;
  readonly conditions: readonly Node[];
}
export interface Arguments {
  readonly positional: readonly Node[];
  readonly named: readonly { readonly name: string; readonly value: Node }[];
}

export interface SyntaxProblem extends Place {
  readonly code: 'syntax' | 'too_long' | 'too_deep' | 'not_allowed' | 'unknown_function';
  readonly message: string;
}

export class SyntaxFailure extends Error {
  readonly problem: SyntaxProblem;
  /** The problem already has the author's offsets. */
  readonly placed: boolean;

  constructor(problem: SyntaxProblem, placed = false) {
    super(problem.message);
    this.problem = problem;
    this.placed = placed;
  }

  moved(offsets: (index: number) => number): SyntaxFailure {
    const { start, end } = this.problem;
    return new SyntaxFailure({ ...this.problem, start: offsets(start), end: offsets(end) }, true);
  }
}

/** Direct sub-expressions in reading order, without those which a comprehension or item binds anew. */
export function listChildren(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'constant':
    case 'name':
      return [];
    case 'text':
      return node.parts.flatMap((part) => (typeof part === 'string' ? [] : [part.node]));
    case 'member':
      return [node.object];
    case 'index':
      return [node.object, node.index];
    case 'slice':
      return [node.object, ...node.bounds.flatMap((bound) => bound ?? [])];
    case 'call':
      return argumentNodes(node.call);
    case 'method':
      return [node.object, ...argumentNodes(node.call)];
    case 'unary':
      return [node.operand];
    case 'binary':
    case 'logical':
      return [node.left, node.right];
    case 'compare':
      return [node.first, ...node.rest.map((part) => part.operand)];
    case 'choose':
      return [node.test, node.yes, node.no];
    case 'list':
      return node.items;
    case 'dict':
      return node.entries.flatMap((entry) => [entry.key, entry.value]);
    case 'list_for':
      return [node.element, ...clauseNodes(node.clauses)];
    case 'dict_for':
      return [node.entry.key, node.entry.value, ...clauseNodes(node.clauses)];
    case 'item_expression':
      return [node.body];
    default: {
      const never: never = node;
      return never;
    }
  }
}

function argumentNodes(call: Arguments): Node[] {
  return [...call.positional, ...call.named.map((argument) => argument.value)];
}

function clauseNodes(clauses: readonly Clause[]): Node[] {
  return clauses.flatMap((clause) => [clause.source, ...clause.conditions]);
}
