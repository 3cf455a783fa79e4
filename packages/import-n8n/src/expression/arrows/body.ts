import { type Expression, type Of, staticKey } from '../tree.ts';
import { type Code, dataCode, enclosed, other, Untranslatable } from '../value.ts';
import type { Scope } from './scope.ts';

/** How a part of a script is translated. */
export interface Translating {
  readonly scope: Scope;
  readonly code: (node: Expression) => Code;
  /** The same for a condition. */
  readonly truth: (node: Expression) => Code;
}

export type AnyFunction = Of<'ArrowFunctionExpression'> | Of<'FunctionExpression'>;
type Declaration = Extract<Statement, { type: 'VariableDeclaration' }>;
type Statement = Of<'FunctionExpression'>['body']['body'][number];

export function asFunction(node: Expression | undefined): AnyFunction | undefined {
  if (node?.type !== 'ArrowFunctionExpression' && node?.type !== 'FunctionExpression') return undefined;
  return node.async || node.generator === true ? undefined : node;
}

/** The value that a function returns: constants are put into their places, and `if` chooses. */
export const bodyCode = ({ body }: AnyFunction, to: Translating): Code =>
  body.type === 'BlockStatement' ? blockCode(body.body, to) : to.code(body);

/** `(() => { const x = …; return …; })()`. */
export function calledAtOnce(
  { callee, arguments: args }: Pick<Of<'CallExpression'>, 'callee' | 'arguments'>,
  to: Translating,
): Code | undefined {
  const called = callee.type === 'ParenthesizedExpression' ? callee.expression : callee;
  const made = asFunction(called as Expression);
  if (made === undefined) return undefined;
  if (made.params.length > 0 || args.length > 0)
    throw new Untranslatable('a function that is called at once may have no parameters here');
  return to.scope.within(() => bodyCode(made, to));
}

/** `const x = value`, and `const {x, y} = value`. */
function bindVariable(id: Declaration['declarations'][number]['id'], value: Expression, scope: Scope): void {
  if (id.type === 'Identifier') {
    scope.bindConstant(id.name, value);
    return;
  }
  for (const property of id.type === 'ObjectPattern' ? id.properties : [undefined]) {
    if (property?.type !== 'ObjectProperty' || property.computed || property.value.type !== 'Identifier')
      throw new Untranslatable('a variable of this shape has no equal here');
    const member = { type: 'MemberExpression', object: value, property: property.key, computed: false };
    scope.bindConstant(property.value.name, member as Of<'MemberExpression'>);
  }
}

/** `date.setDate(…)` as the date that the name stands for from then on. */
function readMove(call: Expression): { name: string; date: Expression } | undefined {
  if (call.type !== 'CallExpression' || call.callee.type !== 'MemberExpression') return undefined;
  const { object } = call.callee;
  if (object.type !== 'Identifier' || !/^set[A-Z]/.test(staticKey(call.callee) ?? '')) return undefined;
  const callee = { type: 'Identifier', name: 'Date' };
  return {
    name: object.name,
    date: { type: 'NewExpression', callee, arguments: [call] } as unknown as Of<'NewExpression'>,
  };
}

function blockCode([first, ...rest]: readonly Statement[], to: Translating): Code {
  to.scope.spend();
  if (first === undefined) return { form: 'constant', code: 'null' };
  switch (first.type) {
    case 'EmptyStatement':
      return blockCode(rest, to);
    case 'ReturnStatement':
      return first.argument ? to.code(first.argument) : { form: 'constant', code: 'null' };
    case 'BlockStatement':
      return to.scope.within(() => blockCode([...first.body, ...rest], to));
    case 'VariableDeclaration':
      for (const { id, init } of first.declarations) {
        if (!init) throw new Untranslatable('a variable needs a value here');
        bindVariable(id, init, to.scope);
      }
      return blockCode(rest, to);
    case 'IfStatement': {
      const test = enclosed(to.truth(first.test));
      const [yes, no] = [first.consequent, first.alternate].map((branch) =>
        enclosed(dataCode(to.scope.within(() => blockCode(branch ? [branch, ...rest] : rest, to)))),
      );
      return other(`${test} ? ${yes} : ${no}`);
    }
    case 'ExpressionStatement': {
      const moved = readMove(first.expression);
      if (moved !== undefined) {
        to.scope.rebind(moved.name, moved.date);
        return blockCode(rest, to);
      }
      throw new Untranslatable('code may only have constants, if and return here');
    }
    default:
      throw new Untranslatable('code may only have constants, if and return here');
  }
}
