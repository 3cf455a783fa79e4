import { type Code, chain, enclosed, other, Untranslatable } from '../value.ts';

type Make = (receiver: string, args: readonly Code[]) => Code;

/** Names in comprehensions that no node has. */
const EACH = 'each_of_list';
const OTHER = 'other_of_list';

/** Elements that are in both lists, or only in the first, each once. Unlike `in`, `is` tells 1 from true. */
const keepBy =
  (operator: 'in' | 'not in'): Make =>
  (receiver, [others]) => {
    const found = `[${EACH} is ${OTHER} for ${OTHER} in ${enclosed(others as Code)}]`;
    return chain(
      `array([${EACH} for ${EACH} in ${receiver} if true ${operator} ${found}]).flat(1).distinct()`,
    );
  };

/** Names that are written in the expression, as code of texts. */
function requireNames(args: readonly Code[]): string[] {
  return args.map(({ form, code }) => {
    if (form !== 'constant' || code === '""') throw new Untranslatable('a fixed text is needed here');
    return code;
  });
}

/** An object with another name for one field, which moves to the end. */
function renameField(item: string, from: string, to: string): string {
  const others = `pairs(${item}).filter(${JSON.stringify(`item[0] != ${from}`)})`;
  return `dict(array(${others}, [[${to}, ${item}[${from}]]]).flat())`;
}

/** Objects of a list with other names for fields: code of texts, in pairs of the old name and the new one. */
export function renamedFields(list: string, names: readonly string[]): string {
  let code = list;
  for (let index = 0; index + 1 < names.length; index += 2) {
    const [from, to] = [names[index] as string, names[index + 1] as string];
    const body = `type(item) == "object" and ${from} in item ? ${renameField('item', from, to)} : item`;
    code = `${code}.map(${JSON.stringify(body)})`;
  }
  return code;
}

const renameKeys: Make = (receiver, args) => chain(renamedFields(receiver, requireNames(args)));

/** The values of several fields as one list of each element that has any of them; of one alone, the value itself. */
const pluckSeveral: Make = (receiver, args) => {
  const names = requireNames(args).join(', ');
  const values = `pairs(item).filter(${JSON.stringify(`item[0] in [${names}]`)}).map("item[1]")`;
  const kept = `${receiver}.filter("type(item) == \\"object\\"").map(${JSON.stringify(values)})`;
  return chain(`${kept}.filter("len(item) > 0").map("len(item) == 1 ? item[0] : item")`);
};

/** All objects of a list as one, in which the first value of a field counts. */
const mergeAll: Make = (receiver) =>
  chain(`dict(${receiver}.filter("type(item) == \\"object\\"").reverse().map("pairs(item)").flat())`);

/** Objects at the same places put together, then all of these; undefined places add nothing. */
export function mergedLists(receiver: string, others: string): string {
  const [one, two] = [`${EACH}.value`, `${others}[${EACH}.index]`];
  const pairs = `array(pairs(${two}), pairs(${one})).flat()`;
  const test = `type(${one}) == "object" and type(${two}) == "object"`;
  return `dict(array([${pairs} for ${EACH} in ${receiver}.withIndex() if ${test}]).flat(1).flat())`;
}

/** n8n's methods of lists. */
export const LIST_METHODS: Readonly<
  Record<string, { readonly counts: readonly number[]; readonly make: Make }>
> = {
  difference: { counts: [1], make: keepBy('not in') },
  intersection: { counts: [1], make: keepBy('in') },
  union: {
    counts: [1],
    make: (receiver, [others]) => chain(`array(${receiver}, ${(others as Code).code}).flat().distinct()`),
  },
  renameKeys: { counts: [2, 4, 6, 8], make: renameKeys },
  pluck: { counts: [2, 3, 4, 5, 6], make: pluckSeveral },
  compact: { counts: [0], make: (receiver) => chain(`compact(${receiver})`) },
};

/** `merge` of lists and of objects, which of them it is shows in a run. */
export const mergeMethod =
  (ofObjects: Make): Make =>
  (receiver, args) => {
    const [others] = args;
    if (others === undefined)
      return other(`type(${receiver}) == "array" ? ${mergeAll(receiver, args).code} : ${receiver}`);
    return other(
      `type(${receiver}) == "array" ? ${mergedLists(receiver, enclosed(others))} : ${ofObjects(receiver, args).code}`,
    );
  };
