import { isJsonObject, type Json } from '@millrace/engine';
import { type Expression, fixedText, type Of, staticKey } from '../expression/tree.ts';
import { type Code, type Names, other, textConstant, Untranslatable } from '../expression/value.ts';

type Member = Of<'MemberExpression'> | Of<'OptionalMemberExpression'>;

/** The value of a parameter of a node that an expression names, such as `$node["A"].parameter.values`; undefined for others. */
export function parameterCode(node: Member, names: Names): Code | undefined {
  const keys: string[] = [];
  let at: Expression = node;
  while (at.type === 'MemberExpression' || at.type === 'OptionalMemberExpression') {
    const owner = ownerIn(at);
    if (owner !== undefined) return buildConstant(names.parameters(owner.node), keys);
    const key = staticKey(at) ?? numberKey(at);
    if (key === undefined) return undefined;
    keys.unshift(key);
    at = at.object;
  }
  const isOwn = at.type === 'Identifier' && at.name === '$parameter';
  return isOwn ? buildConstant(names.parameters(null), keys) : undefined;
}

const numberKey = ({ property, computed }: Member): string | undefined =>
  computed && property.type === 'NumericLiteral' ? String(property.value) : undefined;

/** The node in `$node["A"].parameter`, `$("A").params`. */
function ownerIn(member: Member): { node: string } | undefined {
  const key = staticKey(member);
  if (key !== 'parameter' && key !== 'params') return undefined;
  const { object } = member;
  if (
    object.type === 'MemberExpression' &&
    object.object.type === 'Identifier' &&
    object.object.name === '$node'
  ) {
    const name = staticKey(object);
    return name === undefined ? undefined : { node: name };
  }
  if (object.type !== 'CallExpression' || object.callee.type !== 'Identifier' || object.callee.name !== '$')
    return undefined;
  const [argument] = object.arguments;
  const name = argument && fixedText(argument as Expression);
  return name === undefined ? undefined : { node: name };
}

function buildConstant(parameters: Json | undefined, keys: readonly string[]): Code {
  if (parameters === undefined) throw new Untranslatable('the file has no node of that name');
  let value: Json | undefined = parameters;
  for (const key of keys) {
    if (Array.isArray(value)) value = value[Number(key)];
    else value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  if (value === undefined) throw new Untranslatable(`the file has no parameter "${keys.join('.')}"`);
  if (hasTemplate(value))
    throw new Untranslatable(`the parameter "${keys.join('.')}" is an expression itself`);
  return typeof value === 'string' ? textConstant(value) : other(`(${JSON.stringify(value)})`);
}

const hasTemplate = (value: Json): boolean =>
  typeof value === 'string'
    ? value.startsWith('=')
    : typeof value === 'object' && value !== null && Object.values(value).some(hasTemplate);
