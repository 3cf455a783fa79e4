import { type Expression, type Of, setSource } from './tree.ts';
import { asText, type Code, chain, enclosed, isWord, other, textConstant, Untranslatable } from './value.ts';

type Translate = (node: Expression) => Code;

export function listCode(node: Of<'ArrayExpression'>, code: Translate): Code {
  const hasSpread = node.elements.some((element) => element?.type === 'SpreadElement');
  const items = node.elements.map((element) => {
    if (element === null) throw new Untranslatable('a list with gaps has no equal here');
    if (element.type === 'SpreadElement') {
      const set = setSource(element.argument);
      return set === undefined ? code(element.argument).code : `toSet(${code(set).code})`;
    }
    const value = code(element).code;
    return hasSpread ? `[${value}]` : value;
  });
  return hasSpread ? chain(`array(${items.join(', ')}).flat()`) : other(`[${items.join(', ')}]`);
}

export function objectCode(node: Of<'ObjectExpression'>, code: Translate): Code {
  const [first, ...rest] = node.properties;
  if (first?.type === 'SpreadElement' && isNamed(first.argument) && rest.every(isPlainEntry))
    return extended(first.argument, { properties: rest, code });
  if (node.properties.some(({ type }) => type === 'SpreadElement')) {
    const parts = node.properties.map((property) => {
      if (property.type === 'SpreadElement') return `pairs(${enclosed(code(property.argument))} or {})`;
      const { name, value } = entryCodes(property, code);
      return `[[${name}, ${value}]]`;
    });
    return chain(`dict(array(${parts.join(', ')}).flat())`);
  }
  const entries = node.properties.map((property) => {
    const { name, value } = entryCodes(property, code);
    return `${name}: ${value}`;
  });
  return other(`{${entries.join(', ')}}`);
}

type Property = Of<'ObjectExpression'>['properties'][number];

const isNamed = ({ type }: Expression): boolean =>
  /^(?:Identifier|(?:Optional)?MemberExpression)$/.test(type);

const isPlainEntry = (property: Property): boolean =>
  property.type === 'ObjectProperty' &&
  !property.computed &&
  property.key.type === 'Identifier' &&
  !isWord(property.key.name);

/** The name of an entry, which may be computed, and its value. */
function entryCodes(property: Property, code: Translate): { name: string; value: string } {
  if (property.type !== 'ObjectProperty') throw new Untranslatable('an object may have no methods here');
  const { key, computed } = property;
  const value = code(property.value as Expression).code;
  if (computed) return { name: asText(code(key as Expression)), value };
  const name =
    key.type === 'Identifier'
      ? key.name
      : key.type === 'StringLiteral' || key.type === 'NumericLiteral'
        ? String(key.value)
        : undefined;
  if (name === undefined) throw new Untranslatable('a name of this kind has no equal here');
  return { name: textConstant(name).code, value };
}

/** `{...object, name: value}`. */
function extended(
  object: Expression,
  { properties, code }: { properties: Of<'ObjectExpression'>['properties']; code: Translate },
): Code {
  const values = properties.map((property) => {
    const { key, value } = property as { key: { name: string }; value: Expression };
    return `, ${key.name}=${code(value).code}`;
  });
  return chain(`dict(${enclosed(code(object))} ?? {}${values.join('')})`);
}
