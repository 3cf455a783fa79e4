import { type Expression, fixedText, type Of, staticKey } from '../tree.ts';
import { access, type Code, chain, dataCode, enclosed, numeric, other, Untranslatable } from '../value.ts';
import { type AnyFunction, asFunction, bodyCode, type Translating } from './body.ts';

type Parameter = AnyFunction['params'][number];

/** Methods of lists that call a function for each element. */
const MAKERS = {
  map: mappedCode,
  filter: filtered,
  find: (list, fn, to) => onlyOne(filtered(list, fn, to), list, 'first'),
  findLast: (list, fn, to) => onlyOne(filtered(list, fn, to), list, 'last'),
  findIndex: (list, fn, to) => {
    const { code, item } = withIndex(list);
    const test = elementCode(fn, [item], { list, to });
    return chain(`${code}.filter(${quote(test)}).map("item.index").add(-1).first()`, 'number');
  },
  some: (list, fn, to) => other(`len(${filtered(list, fn, to).code}) > 0`),
  every: (list, fn, to) => other(`len(${filtered(list, fn, to).code}) == len(${list.code})`),
  flatMap: (list, fn, to) => chain(`${mappedCode(list, fn, to).code}.flat()`),
} satisfies Record<string, (list: Code, fn: AnyFunction, to: Translating) => Code>;

const quote = ({ code }: Code): string => JSON.stringify(code);
const made = (list: Code, code: string): Code => (list.form === 'other' ? other(code) : chain(code));

/** `list.map(x => x.name)` as `list.map("item.name")`, and others; undefined for other methods. */
export function perItemCode(
  list: Code,
  { name, args }: { name: string; args: readonly Expression[] },
  to: Translating,
): Code | undefined {
  if (name === 'reduce') return reduced(list, args, to);
  if (name === 'sort' || name === 'toSorted') return sorted(list, args, to);
  const make = Object.hasOwn(MAKERS, name) ? MAKERS[name as keyof typeof MAKERS] : undefined;
  if (make === undefined || args.length !== 1) return undefined;
  return make(list, requireFunction(name, args[0], 2), to);
}

export function requireFunction(
  name: string,
  node: Expression | undefined,
  mostParameters: number,
): AnyFunction {
  // `filter(Boolean)` and the like name a function of one parameter.
  const named =
    node?.type === 'Identifier' && /^(?:Boolean|String|Number|parseFloat)$/.test(node.name)
      ? node
      : undefined;
  const found = named === undefined ? asFunction(node) : wrapping(named);
  if (found === undefined || found.params.length > mostParameters)
    throw new Untranslatable(`${name}() needs a function of the form x => … here`);
  return found;
}

/** `x => Boolean(x)` of `Boolean`. */
function wrapping(callee: Of<'Identifier'>): AnyFunction {
  const value = { type: 'Identifier', name: 'x' } as Of<'Identifier'>;
  const body = { type: 'CallExpression', callee, arguments: [value] } as unknown as Of<'CallExpression'>;
  return { type: 'ArrowFunctionExpression', params: [value], body, async: false } as unknown as AnyFunction;
}

export function mappedCode(list: Code, fn: AnyFunction, to: Translating): Code {
  const { code, item, index } = elements(list, fn);
  return made(list, `${code}.map(${quote(elementCode(fn, [item, index], { list, to }))})`);
}

function filtered(list: Code, fn: AnyFunction, to: Translating): Code {
  const { code, item, index } = elements(list, fn);
  const test = elementCode(fn, [item, index], { list, to, isTest: true });
  const found = `${code}.filter(${quote(test)})`;
  const kept = index === undefined ? found : `${found}.map("item.value")`;
  return list.value === 'items' ? chain(kept, 'items') : made(list, kept);
}

const onlyOne = (found: Code, list: Code, which: 'first' | 'last'): Code =>
  chain(`${enclosed(found)}.${which}()`, list.value === 'items' ? 'item' : undefined);

const withIndex = (list: Code): { code: string; item: string; index: string } => ({
  code: `${enclosed(list)}.withIndex()`,
  item: 'item.value',
  index: 'item.index',
});

const elements = (list: Code, fn: AnyFunction): { code: string; item: string; index?: string } =>
  fn.params.length > 1 ? withIndex(list) : { code: enclosed(list), item: 'item' };

interface Around {
  readonly list: Code;
  readonly to: Translating;
  readonly isTest?: boolean;
}

/** The body of a function whose parameters stand for these parts of `item`. */
function elementCode(
  fn: AnyFunction,
  [item, index]: readonly [string, (string | undefined)?],
  { list, to, isTest = false }: Around,
): Code {
  return to.scope.perElement(() => {
    const [element, place] = fn.params;
    if (element !== undefined) bindParameter(element, { code: item, list, to });
    if (place !== undefined && index !== undefined) {
      if (place.type !== 'Identifier') throw new Untranslatable('the place of an element is one number');
      to.scope.bindItem(place.name, index, 'number');
    }
    return isTest && fn.body.type !== 'BlockStatement' ? to.truth(fn.body) : dataCode(bodyCode(fn, to));
  });
}

/** A parameter, also one that takes a list or an object apart. */
function bindParameter(
  param: Parameter,
  { code, list, to }: { code: string; list: Code; to: Translating },
): void {
  const ofItems = list.value === 'items';
  if (param.type === 'Identifier') {
    to.scope.bindItem(param.name, code, ofItems ? 'item' : undefined);
    return;
  }
  const parts =
    param.type === 'ArrayPattern'
      ? param.elements.map((part, index) => ({ part, key: `[${index}]` }))
      : param.type === 'ObjectPattern'
        ? param.properties.map((property) => ({
            part: property.type === 'ObjectProperty' ? property.value : null,
            key:
              property.type === 'ObjectProperty' && !property.computed
                ? propertyKey(property.key)
                : undefined,
          }))
        : [{ part: param, key: undefined }];
  for (const { part, key } of parts) {
    if (part === null && param.type === 'ArrayPattern') continue;
    if (part?.type !== 'Identifier' || key === undefined || (ofItems && key !== '.json'))
      throw new Untranslatable('parameters of this shape have no equal here');
    to.scope.bindItem(part.name, ofItems ? code : `${code}${key}`);
  }
}

const propertyKey = (key: { readonly type: string }): string | undefined => {
  const { type, name, value } = key as { type: string; name?: string; value?: unknown };
  if (type === 'Identifier' && name !== undefined) return access(name);
  return type === 'StringLiteral' && typeof value === 'string' ? access(value) : undefined;
};

/** `list.reduce((total, x) => …, start)`. */
function reduced(list: Code, [given, start, ...more]: readonly Expression[], to: Translating): Code {
  const fn = requireFunction('reduce', given, 2);
  const [total] = fn.params;
  if (total?.type !== 'Identifier' || more.length > 0 || (start === undefined && list.value === 'items'))
    throw new Untranslatable('reduce() needs a function of the form (total, x) => …, and a start here');
  const from = start === undefined ? undefined : to.code(start);
  const body = to.scope.perElement(() => {
    const [, element] = fn.params;
    to.scope.bindItem(total.name, 'item.total');
    if (element !== undefined) bindParameter(element, { code: 'item.value', list, to });
    return dataCode(bodyCode(fn, to));
  });
  return made(list, `${enclosed(list)}.reduce(${[quote(body), ...(from ? [from.code] : [])].join(', ')})`);
}

/** JavaScript sorts elements by their text. */
const AS_TEXT = [
  'type(item) == "array" ? item.join(",")',
  'type(item) == "object" ? "[object Object]"',
  'item == null ? "null" : concat(item)',
].join(' : ');

/** `sort()`, and `sort((a, b) => …)` by a difference or by the order of words. */
function sorted(list: Code, [given, ...more]: readonly Expression[], to: Translating): Code {
  const ofList = (args: string): Code => {
    const code = `${enclosed(list)}.sort(${args})`;
    return list.value === 'items' ? chain(code, 'items') : made(list, code);
  };
  if (given === undefined) return ofList(JSON.stringify(AS_TEXT));
  const fn = requireFunction('sort', given, 2);
  const pair = fn.body.type === 'BlockStatement' ? undefined : comparedParts(fn.body);
  if (more.length > 0 || fn.params.length !== 2 || pair === undefined)
    throw new Untranslatable('sort() needs a function such as (a, b) => a.x - b.x here');
  const [a, b] = fn.params as [Parameter, Parameter];
  const readKey = (node: Expression, param: Parameter): string =>
    to.scope.perElement(() => {
      bindParameter(param, { code: 'item', list, to });
      const key = to.code(node);
      // Where JavaScript counts with nothing, it is 0.
      return pair.isWords ? key.code : `${numeric(key)} ?? 0`;
    });
  const words = pair.isWords ? ', "words"' : '';
  for (const [first, second, direction] of [[a, b, ''] as const, [b, a, ', "desc"'] as const]) {
    const keys = attempt(() => [readKey(pair.left, first), readKey(pair.right, second)]);
    if (keys !== undefined && keys[0] === keys[1])
      return ofList(`${JSON.stringify(keys[0])}${words}${direction}`);
  }
  throw new Untranslatable('sort() needs the same value of both elements here');
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof Untranslatable) return undefined;
    throw error;
  }
}

/** `a.x - b.x`, and `a.x.localeCompare(b.x)`. */
function comparedParts(
  node: Expression,
): { left: Expression; right: Expression; isWords: boolean } | undefined {
  if (node.type === 'BinaryExpression' && node.operator === '-' && node.left.type !== 'PrivateName')
    return { left: node.left, right: node.right, isWords: false };
  if (node.type !== 'CallExpression' && node.type !== 'OptionalCallExpression') return undefined;
  const { callee } = node;
  const [right, language, ...more] = node.arguments as Expression[];
  if (callee.type !== 'MemberExpression' && callee.type !== 'OptionalMemberExpression') return undefined;
  const isEnglish = language === undefined || /^en(?:-US)?$/.test(fixedText(language) ?? '');
  if (staticKey(callee) !== 'localeCompare' || right === undefined || !isEnglish || more.length > 0)
    return undefined;
  return { left: callee.object, right, isWords: true };
}
