import type { Expression, Of } from './tree.ts';
import { type Code, chain, enclosed, isWord, other, textConstant, Untranslatable } from './value.ts';

type Translate = (node: Expression) => Code;

export function listCode(node: Of<'ArrayExpression'>, code: Translate): Code {
  const hasSpread = node.elements.some((element) => element?.type === 'SpreadElement');
  const items = node.elements.map((element) => {
    if (element === null) throw new Untranslatable('a list with gaps has no equal here');
    if (element.type === 'SpreadElement') return code(element.argument).code;
    const value = code(element).code;
    return hasSpread ? `[${value}]` : value;
  });
  return hasSpread ? chain(`array(${items.join(', ')}).flat()`) : other(`[${items.join(', ')}]`);
}

export function objectCode(node: Of<'ObjectExpression'>, code: Translate): Code {
  const [first, ...rest] = node.properties;
  if (first?.type === 'SpreadElement') return extended(first.argument, { properties: rest, code });
  const entries = node.properties.map((property) => {
    const key = property.type === 'ObjectProperty' && !property.computed ? property.key : undefined;
    const name =
      key?.type === 'Identifier' ? key.name : key?.type === 'StringLiteral' ? key.value : undefined;
    if (property.type !== 'ObjectProperty' || name === undefined) {
      throw new Untranslatable('an object may have fixed names only');
    }
    return `${textConstant(name).code}: ${code(property.value as Expression).code}`;
  });
  return other(`{${entries.join(', ')}}`);
}

/** `{...object, name: value}`. */
function extended(
  object: Expression,
  { properties, code }: { properties: Of<'ObjectExpression'>['properties']; code: Translate },
): Code {
  const values = properties.map((property) => {
    const key = property.type === 'ObjectProperty' && !property.computed ? property.key : undefined;
    if (property.type !== 'ObjectProperty' || key?.type !== 'Identifier' || isWord(key.name))
      throw new Untranslatable('an object that is extended may have plain names only');
    return `, ${key.name}=${code(property.value as Expression).code}`;
  });
  return chain(`dict(${enclosed(code(object))} ?? {}${values.join('')})`);
}
