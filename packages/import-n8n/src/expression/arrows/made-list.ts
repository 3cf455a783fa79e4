import { type Expression, type Of, setSource } from '../tree.ts';
import { type Code, chain, numeric, Untranslatable } from '../value.ts';
import { bodyCode, type Translating } from './body.ts';
import { mappedCode, requireFunction } from './per-item.ts';

/** The numbers from 0 below the length of a list that is made. */
function indexes(length: Expression, to: Translating): string {
  const code = to.code(length);
  if (code.form === 'constant' && /^\d+$/.test(code.code)) return `range(0, ${code.code})`;
  return `range(0, max(0, int(${numeric(code)} ?? 0)))`;
}

/** `Array.from({length: n}, (_, index) => …)` and `Array.from(new Set(list))`. */
export function arrayFromCode([source, fn, ...more]: readonly Expression[], to: Translating): Code {
  const set = source === undefined ? undefined : setSource(source);
  const length = source === undefined ? undefined : lengthIn(source);
  if (more.length > 0 || (set === undefined && length === undefined))
    throw new Untranslatable('Array.from() needs a length or a Set here');
  const make = fn === undefined ? undefined : requireFunction('Array.from', fn, 2);
  if (set !== undefined) {
    const list = chain(`toSet(${to.code(set).code})`);
    return make === undefined ? list : mappedCode(list, make, to);
  }
  const places = indexes(length as Expression, to);
  const body = to.scope.perElement(() => {
    const [nothing, place] = make?.params ?? [];
    if ([nothing, place].some((param) => param !== undefined && param.type !== 'Identifier'))
      throw new Untranslatable('parameters of this shape have no equal here');
    if (nothing?.type === 'Identifier') to.scope.bindItem(nothing.name, 'null');
    if (place?.type === 'Identifier') to.scope.bindItem(place.name, 'item', 'number');
    return make === undefined ? 'null' : bodyCode(make, to).code;
  });
  return chain(`${places}.map(${JSON.stringify(body)})`);
}

/** `n` of `{length: n}`. */
function lengthIn(node: Expression): Expression | undefined {
  const [property, ...others] = node.type === 'ObjectExpression' ? node.properties : [];
  if (property?.type !== 'ObjectProperty' || property.computed || others.length > 0) return undefined;
  const { key } = property;
  return key.type === 'Identifier' && key.name === 'length' ? (property.value as Expression) : undefined;
}

/** `Array(n).fill(value)` and `Array(n).keys()`; undefined for other calls. */
export function filledCode(
  object: Expression | Of<'Super'>,
  { name, args }: { name: string; args: readonly Expression[] },
  to: Translating,
): Code | undefined {
  if (object.type !== 'CallExpression' && object.type !== 'NewExpression') return undefined;
  const [length, ...others] = object.arguments as Expression[];
  const isArray = object.callee.type === 'Identifier' && object.callee.name === 'Array';
  if (!isArray || length === undefined || others.length > 0) return undefined;
  if (name === 'keys' && args.length === 0) return chain(indexes(length, to));
  if (name !== 'fill' || args.length > 1) return undefined;
  const [value] = args;
  const each = value === undefined ? 'null' : to.scope.perElement(() => to.code(value).code);
  return chain(`${indexes(length, to)}.map(${JSON.stringify(each)})`);
}
