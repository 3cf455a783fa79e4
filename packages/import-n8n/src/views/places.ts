import { access, isPlainName, textConstant, type Which } from '../expression/value.ts';

/**
 * Where the data that a node of n8n hands on is found here. Nodes of n8n hand on lists of items; here each node has one
 * object, so that expressions read the first item.
 */
export interface View {
  /** Path from the node's output to the first item: `.body`, `.rows[0]`. */
  readonly first?: string;
  /** Path to the list of all items, for nodes that have one; that of `first` when it may be one item, too. */
  readonly list?: string;
  /** Fields that are called otherwise here. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** These are all of its fields in n8n, so that the whole of an item is put together from them. */
  readonly isOnlyRenamed?: boolean;
  /** Fields that are put together here, from the code of the item. */
  readonly made?: Readonly<Record<string, (item: string) => string>>;
  /** These are all of its fields in n8n. */
  readonly isOnlyMade?: boolean;
  /** The added node that has the data, by its suffix. */
  readonly step?: string;
  /** The node adds only these fields to its input, and hands the rest on as it came. */
  readonly adds?: readonly string[];
  /** Which inputs its data comes from: one of them alone, or the last one before the others. */
  readonly inputs?: number | 'last';
  /** Its list has one entry for each item of the list that the node gets, in the same order. */
  readonly isPaired?: boolean;
  /** Its list has only items of the list that the node gets, as they came. */
  readonly keepsItems?: boolean;
  /** Nodes that read it run only when its list has items. */
  readonly hasItems?: boolean;
}

/**
 * The view of the results that rounds over the items of a list hand on: the results of the node that leads back, each
 * with the data of that node.
 */
export function viewOfRounds(view: View): View {
  const { first = '', list } = view;
  // Without rounds there are no items, also when each of them would have some.
  const each = { ...view, first: `.results[0]${first}`, hasItems: false };
  const fields = buildOwnFields(view, `item${first}`);
  if (fields !== undefined) {
    const named = `.results.map(${JSON.stringify(fields)})`;
    return { first: `${named}[0]`, list: named, isPaired: true, hasItems: false };
  }
  if (list === undefined)
    return {
      ...each,
      list: first === '' ? '.results' : `.results.map(${JSON.stringify(`item${first}`)})`,
      isPaired: true,
    };
  const code = `.results.map(${JSON.stringify(`item${list}`)}).flat()`;
  return { ...each, first: `${code}[0]`, list: code, isPaired: false };
}

/** The whole of an item that has other fields here; undefined for one that is there as it is. */
function buildOwnFields(
  { isOnlyRenamed, renamed, isOnlyMade, made }: View,
  item: string,
): string | undefined {
  const fields =
    isOnlyMade && made !== undefined
      ? Object.entries(made).map(([key, make]) => [key, make(item)] as const)
      : isOnlyRenamed && renamed !== undefined
        ? Object.entries(renamed).map(([there, here]) => [there, `${item}${access(here)}`] as const)
        : undefined;
  if (fields === undefined) return undefined;
  return `{${fields.map(([key, code]) => `${textConstant(key).code}: ${code}`).join(', ')}}`;
}

export interface Place {
  readonly name: string;
  readonly label: string;
  readonly view: View;
  /** The node that says whether it is there, for data that is put together. */
  readonly owner?: string;
}

const hasNotRun = ({ owner, label }: Place): string => `${owner ?? label} == null`;

/** Where the whole data of one input is. */
export interface InputPlace {
  readonly label: string;
  readonly view: View;
  /** It has a list in any case, and not one item or a list. */
  readonly isList: boolean;
  /** Code of its items, a list that is empty when the branch did not run. */
  readonly items: string;
}

/** True for a view with a list that cannot be one item, too. */
export const isList = ({ list, first }: View): boolean => list !== undefined && list !== first;

/** True for a view of one item or a list, which is known when its node runs. */
export const mayBeList = (view: View): boolean => view.list !== undefined && !isList(view);

export function inputPlace(place: Place): InputPlace | undefined {
  const { label, view } = place;
  // The fields that it hands on as they came are elsewhere.
  if (view.adds !== undefined && view.adds.length > 0) return undefined;
  const whole = `${label}${view.first ?? ''}`;
  const code = isList(view)
    ? `${label}${view.list}`
    : view.list === undefined
      ? `[${whole}]`
      : `array(${whole}).flat()`;
  return { label, view, isList: isList(view), items: `${hasNotRun(place)} ? [] : ${code}` };
}

export const toItemCode = ({ label, view }: Place, which: Which): string =>
  which === 'last' && isList(view) ? `${label}${view.list}.last()` : `${label}${view.first ?? ''}`;

export function buildFieldAccess(place: Place, { key, which }: { key: string; which: Which }): string {
  const { renamed = {}, made = {} } = place.view;
  const make = Object.hasOwn(made, key) ? made[key] : undefined;
  if (make !== undefined) return make(toItemCode(place, which));
  return `${toItemCode(place, which)}${access((Object.hasOwn(renamed, key) ? renamed[key] : key) ?? key)}`;
}

/** The input of a list node is a list, also when what is before it has one object. */
export const toItemsCode = ({ label, view }: Place): string => {
  if (isList(view)) return `${label}${view.list}`;
  const one = `array(${label}${view.first ?? ''})`;
  // It may be a list itself, whose entries are the items then.
  return view.list === undefined ? one : `${one}.flat()`;
};

/** The items of all nodes that have run, which are seldom more than one branch of several. */
export const allItems = (places: readonly Place[]): string =>
  `array(${places.map((place) => `${hasNotRun(place)} ? [] : ${toItemsCode(place)}`).join(', ')}).flat()`;

/** Code that reads from the first node that has it. */
export function readFirst(places: readonly Place[], read: (place: Place) => string): string {
  const [only, ...others] = places;
  if (only !== undefined && others.length === 0) return read(only);
  const codes = places.map((place) =>
    place.owner === undefined ? read(place) : `${hasNotRun(place)} ? null : ${read(place)}`,
  );
  return `array(${codes.join(', ')}).notNull().first()`;
}

/** Nodes that are read, each once. */
export const distinct = (places: readonly Place[]): Place[] => [
  ...new Map(places.map((place) => [`${place.label}${place.view.first ?? ''}`, place])).values(),
];

export const quotePlaces = (places: readonly Place[]): string =>
  places.map(({ label, owner }) => `"${owner ?? label}"`).join(', ');

/** The fields that a node adds, with those that it hands on as they came: as a whole they are in no node. */
export function withKept(place: Place, before: readonly Place[]): Place {
  const { name, label, view } = place;
  const { adds = [] } = view;
  if (!adds.every(isPlainName)) return place;
  const added = adds.map((key) => `, ${key}=${buildFieldAccess(place, { key, which: 'current' })}`);
  const kept = readFirst(before, (place) => toItemCode(place, 'current'));
  const own = new Set(adds);
  const rest = <T>(names: Readonly<Record<string, T>> = {}) =>
    Object.fromEntries(Object.entries(names).filter(([key]) => !own.has(key)));
  const [first] = before;
  return {
    name,
    label: `dict(${kept} ?? {}${added.join('')})`,
    owner: label,
    view: { renamed: rest(first?.view.renamed), made: rest(first?.view.made) },
  };
}
