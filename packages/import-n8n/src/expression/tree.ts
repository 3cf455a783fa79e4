import { parseExpression } from '@babel/parser';
import { Untranslatable } from './value.ts';

type Tree = ReturnType<typeof parseExpression>;
/** JavaScript that has a value. */
export type Expression = Extract<Tree, { type: 'ConditionalExpression' }>['test'];
export type Of<Type extends string> = Extract<Expression, { type: Type }>;

const MAX_LENGTH = 10_000;

/** The tree of one JavaScript expression. Throws `Untranslatable`. */
export function scriptTree(script: string): Expression {
  if (script.length > MAX_LENGTH) throw new Untranslatable('it is too long');
  try {
    return parseExpression(script, { errorRecovery: false });
  } catch {
    throw new Untranslatable('it is not one JavaScript expression');
  }
}

/** True when the text is one JavaScript expression. */
export function isExpression(script: string): boolean {
  if (script.length > MAX_LENGTH) return false;
  try {
    parseExpression(script);
    return true;
  } catch {
    return false;
  }
}

/** `parseInt(x, 10)`. */
export function isDecimal(name: string, [, radix]: readonly Expression[]): boolean {
  return name === 'parseInt' && radix?.type === 'NumericLiteral' && radix.value === 10;
}

/** The key of a member that is written and not computed. */
export function staticKey(node: Of<'MemberExpression'> | Of<'OptionalMemberExpression'>): string | undefined {
  if (!node.computed && node.property.type === 'Identifier') return node.property.name;
  return node.property.type === 'StringLiteral' ? node.property.value : undefined;
}

/** The text of a constant, however it is quoted. */
export function fixedText(node: Expression): string | undefined {
  if (node.type === 'StringLiteral') return node.value;
  if (node.type !== 'TemplateLiteral' || node.expressions.length > 0) return undefined;
  return node.quasis[0]?.value.cooked ?? undefined;
}

/** `Math.round` of the tree of `Math.round`. */
export function plainName(node: Expression): string | undefined {
  if (node.type === 'Identifier') return node.name;
  if (node.type !== 'MemberExpression' || node.object.type !== 'Identifier') return undefined;
  const key = staticKey(node);
  return key === undefined ? undefined : `${node.object.name}.${key}`;
}

/** The text and the pattern of `text.match(/pattern/)`, unless it is about all matches. */
export function parseMatchCall(
  node: Of<'MemberExpression'>['object'],
): { text: Expression; pattern: Of<'RegExpLiteral'> } | undefined {
  if (node.type !== 'CallExpression' && node.type !== 'OptionalCallExpression') return undefined;
  const { callee, arguments: args } = node;
  if (callee.type !== 'MemberExpression' && callee.type !== 'OptionalMemberExpression') return undefined;
  const [pattern] = args;
  if (staticKey(callee) !== 'match' || pattern?.type !== 'RegExpLiteral' || pattern.flags.includes('g'))
    return undefined;
  return { text: callee.object, pattern };
}

/** The pattern that a method of a text gets; `search` makes one of a text, too. */
export function patternIn(
  name: string,
  node: Expression | undefined,
): { readonly pattern: string; readonly flags: string } | undefined {
  if (node?.type === 'RegExpLiteral') return node;
  const text = name === 'search' && node !== undefined ? fixedText(node) : undefined;
  return text === undefined ? undefined : { pattern: text, flags: '' };
}

/** The value and the name of the type of `typeof value === 'name'`. */
export function comparedType({
  operator,
  left,
  right,
}: {
  operator: string;
  left: Expression;
  right: Expression;
}): { readonly value: Expression; readonly name: string } | undefined {
  if (!/^[=!]==?$/.test(operator)) return undefined;
  const [asked, name] = left.type === 'UnaryExpression' ? [left, fixedText(right)] : [right, fixedText(left)];
  if (asked.type !== 'UnaryExpression' || asked.operator !== 'typeof' || name === undefined) return undefined;
  return { value: asked.argument, name };
}

/** The list of `new Set(list)`. */
export function setSource(node: { readonly type: string }): Expression | undefined {
  const { type, callee, arguments: args } = node as Of<'NewExpression'>;
  if (type !== 'NewExpression' || callee.type !== 'Identifier' || callee.name !== 'Set') return undefined;
  return args.length === 1 && args[0]?.type !== 'SpreadElement' ? (args[0] as Expression) : undefined;
}

/** An argument of these that is undefined has its usual value, like one that is missing. */
export function leaveOutUndefined(name: string, args: readonly Expression[]): readonly Expression[] {
  const last = args.at(-1);
  const isLeftOut = last?.type === 'Identifier' && last.name === 'undefined';
  return isLeftOut && (name === 'join' || name === 'substring') ? args.slice(0, -1) : args;
}
