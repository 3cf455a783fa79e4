import { type Json, type JsonObject, readText } from '@millrace/engine';
import { access, textConstant } from '../../expression/value.ts';
import { Params } from '../../source/params.ts';
import type { SourceNode } from '../../source/source.ts';
import { mayBeList } from '../../views/places.ts';
import { type InputPlace, PASSES_ON, type View } from '../../views/views.ts';
import { isFileKey } from '../data/file-codes.ts';
import type { Converted, Kind, Step, Target, ViewContext } from '../kind.ts';

/** How the items of the inputs become one list here; a text says why they do not. */
type Plan = ListPlan | string;

interface ListPlan {
  readonly type: string;
  readonly data: JsonObject;
  readonly view: View;
  /** Between the wait for the inputs and the node. */
  readonly before?: readonly Step[];
  /** Lines about the differences. */
  readonly lines: readonly string[];
}

const MOST_INPUTS = 200;
/** Waits for the inputs of a node that has one input here. */
const INPUTS = 'Inputs';
/** The list of an item's partners, each key once. */
const PARTNERS = 'Partners';

export const merge: Kind = {
  takesList: true,
  staysEmpty: true,
  view: (node, _, context) => {
    const plan = planMerge(node, context);
    return typeof plan === 'string'
      ? { ...PASSES_ON, ...selectInputs(new Params(node.parameters)) }
      : plan.view;
  },
  input: (_, index) => `input-${index}`,
  convert: (node, to) => {
    const plan = planMerge(node, to.context, to);
    return typeof plan === 'string' ? waiting(to, plan) : planned(to, plan);
  },
};

/** Whose data is read behind a merge that does not join items here; for a field of several items n8n prefers the last input. */
function selectInputs(params: Params): Pick<View, 'inputs'> {
  const mode = params.text('mode', 'append');
  if (mode === 'append') return {};
  if (mode === 'chooseBranch' || mode === 'passThrough') {
    // The name of the input before version 3, and its number since.
    const input = params.text('useDataOfInput') || params.text('output', '1');
    const [number = ''] = /\d+$/.exec(input) ?? [];
    return number === '' ? {} : { inputs: Math.max(Number(number) - 1, 0) };
  }
  return prefersFirst(params) ? {} : { inputs: 'last' };
}

/** Whether fields of the first input stay where both have them. */
function prefersFirst(params: Params): boolean {
  const usual = params.text('joinMode') === 'enrichInput2' ? 'preferInput1' : 'preferLast';
  return (params.text('options.clashHandling.values.resolveClash') || usual) === 'preferInput1';
}

const inputCount = (params: Params): number =>
  Math.min(Math.max(params.number('numberInputs', 2), 1), MOST_INPUTS);

function planned(to: Target, { type, data, before = [], lines }: ListPlan): Converted {
  for (const key of READ) to.params.get(key);
  for (const line of lines) to.say(line);
  const wait: Step = { suffix: INPUTS, type: 'merge', data: { inputCount: inputCount(to.params) } };
  return { type, data, before: [wait, ...before] };
}

/** Parameters that a plan has considered, whether it has used them or not. */
const READ =
  'mode combineBy combinationMode advanced fieldsToMatchString mergeByFields join joinMode outputDataFrom options propertyName1 propertyName2 overwrite'.split(
    ' ',
  );

const READ_BY_WAITING = [
  'combineBy',
  'combinationMode',
  'chooseBranchMode',
  'output',
  'useDataOfInput',
  'options.clashHandling.values.resolveClash',
];

function waiting(to: Target, reason: string): Converted {
  const { params } = to;
  const mode = params.text('mode', 'append');
  for (const key of READ_BY_WAITING) params.get(key);
  const data = { inputCount: inputCount(params) };
  // It hands on the data of that one input.
  if (typeof selectInputs(params).inputs === 'number') return { type: 'merge', data };
  const because = reason === '' ? '' : `, because ${reason}`;
  to.say(
    `It waits for its inputs and hands on the data of each by label; it does not join items as "${mode}" does in n8n${because}. ` +
      'Expressions after it read each node from its own label',
  );
  return { type: 'merge', data };
}

function planMerge(node: SourceNode, context: ViewContext, to?: Target): Plan {
  const params = new Params(node.parameters);
  const mode = params.text('mode', 'append');
  if (mode === 'append') return appended(params, context);
  const join = node.version < 2 ? firstVersion(mode, params) : readJoin(mode, params);
  return typeof join === 'string' ? join : joined(join, { context, to });
}

/** The items of one input after those of the other. */
function appended(params: Params, context: ViewContext): Plan {
  const inputs = Array.from({ length: inputCount(params) }, (_, index) => context.input(index));
  const known = inputs.filter((input) => input !== undefined);
  if (known.length < inputs.length) return 'the data of an input is not in one node';
  if (new Set(known.map(({ items }) => items)).size < known.length) return 'its inputs have the same data';
  // The answer to a request may be a file, but is one seldom.
  if (known.some(({ view }) => !mayBeList(view) && Object.keys(view.made ?? {}).some(isFileKey)))
    return 'its items have files';
  const mappings = [{ key: 'items', value: toListCode(known.map(withNames)) }];
  // One that is no list has an item, and the merge runs only behind one that has run.
  const hasItems = known.every(({ view }) => view.list === undefined);
  return { type: 'set', data: { mappings }, view: { ...LIST, hasItems }, lines: [] };
}

/** The input with the fields of its items under their names in n8n. */
function withNames(place: InputPlace): InputPlace {
  const { renamed = {}, made = {} } = place.view;
  const codes = [
    ...Object.entries(renamed).map(([key, name]) => [key, `item${access(name)}`] as const),
    ...Object.entries(made).flatMap(([key, make]) => (isFileKey(key) ? [] : [[key, make('item')] as const])),
  ];
  if (codes.length === 0) return place;
  const added = codes.map(([key, code]) => `${textConstant(key).code}: ${code}`);
  const item = `dict(array(pairs(item), pairs({${added.join(', ')}})).flat(1))`;
  return { ...place, items: `(${place.items}).map(${JSON.stringify(item)})` };
}

/** A text that begins with `$(` is no expression when the node that it reads has not run. */
const toListCode = (places: readonly InputPlace[]): string =>
  `$array(${places.map(({ items }) => items).join(', ')}).flat()`;

const LIST: View = { first: '.items[0]', list: '.items' };

interface Pair {
  readonly first: string;
  readonly second: string;
}

interface Join {
  readonly pairBy: 'key' | 'position' | 'every';
  /** The key; empty for the others. */
  readonly fields: readonly Pair[];
  readonly keep: 'both' | 'first' | 'all' | 'matched' | 'unmatched' | 'unmatchedAll';
  /** The second input is the list whose items are kept. */
  readonly isSwapped: boolean;
  readonly prefer: 'first' | 'other';
  /** Which of several partners of an item is taken. */
  readonly partner: 'all' | 'first' | 'last';
  /** Objects that both items have under one name are merged in n8n. */
  readonly isDeep: boolean;
}

const withoutKey = (pairBy: 'position' | 'every', rest: Pick<Join, 'keep' | 'prefer' | 'isDeep'>): Join => ({
  pairBy,
  fields: [],
  isSwapped: false,
  partner: 'all',
  ...rest,
});

/** Version 1, in which the second input is looked up by its last item of each key. */
function firstVersion(mode: string, params: Params): Join | string {
  const keep = { mergeByKey: 'first', keepKeyMatches: 'matched', removeKeyMatches: 'unmatched' } as const;
  if (mode === 'multiplex') return withoutKey('every', { keep: 'both', prefer: 'other', isDeep: false });
  if (mode === 'mergeByIndex') {
    const join = params.text('join', 'left');
    const kept = join === 'inner' ? 'both' : join === 'outer' ? 'all' : 'first';
    return withoutKey('position', { keep: kept, prefer: 'other', isDeep: false });
  }
  if (!Object.hasOwn(keep, mode)) return '';
  const overwrite = params.text('overwrite', 'always');
  if (overwrite === 'blank') return 'a field only replaces an empty one';
  return {
    pairBy: 'key',
    fields: [{ first: params.text('propertyName1'), second: params.text('propertyName2') }],
    keep: keep[mode as keyof typeof keep],
    isSwapped: false,
    prefer: overwrite === 'always' ? 'other' : 'first',
    partner: 'last',
    isDeep: false,
  };
}

/** Names of version 3, and of version 2. */
const COMBINATIONS: Readonly<Record<string, Join['pairBy']>> = {
  combineByFields: 'key',
  mergeByFields: 'key',
  combineByPosition: 'position',
  mergeByPosition: 'position',
  combineAll: 'every',
  multiplex: 'every',
};

function readJoin(mode: string, params: Params): Join | string {
  const written = params.text('combineBy') || params.text('combinationMode') || 'combineByFields';
  const by = Object.hasOwn(COMBINATIONS, written) ? COMBINATIONS[written] : undefined;
  if (mode !== 'combine' || by === undefined) return '';
  const clash = 'options.clashHandling.values';
  const resolve = params.text(`${clash}.resolveClash`);
  if (resolve === 'addSuffix') return 'it adds the number of the input to names of fields';
  if (params.flag(`${clash}.overrideEmpty`)) return 'an empty field never replaces another';
  const isDeep = params.text(`${clash}.mergeMode`, 'deepMerge') === 'deepMerge';
  if (by !== 'key') {
    if (inputCount(params) > 2) return 'it combines more than two inputs';
    const isUnpairedKept = by === 'position' && params.flag('options.includeUnpaired');
    const keep = isUnpairedKept ? 'all' : 'both';
    const isFirst = prefersFirst(params);
    // n8n pairs each item of the second input with all of the first then.
    if (by === 'every' && isFirst)
      return { ...withoutKey(by, { keep, prefer: 'other', isDeep }), isSwapped: true };
    return withoutKey(by, { keep, prefer: isFirst ? 'first' : 'other', isDeep });
  }
  if (params.flag('options.fuzzyCompare')) return 'it compares values of different types';
  const kept = keptBy(params);
  if (kept === undefined) return 'its output is an expression';
  const { keep, isSwapped } = kept;
  const partner = params.text('options.multipleMatches', 'all') === 'first' ? 'first' : 'all';
  // Which items count as met when only the first partner is taken is not what a list without the others says.
  if (partner === 'first' && (isSwapped || keep === 'all'))
    return 'it takes the first of several matches, and keeps items of the second input';
  return {
    pairBy: by,
    fields: readFields(params),
    keep,
    isSwapped,
    prefer: prefersFirst(params) === isSwapped ? 'other' : 'first',
    partner,
    isDeep,
  };
}

function keptBy(params: Params): Pick<Join, 'keep' | 'isSwapped'> | undefined {
  const from = params.text('outputDataFrom', 'both');
  const isSwapped = from === 'input2';
  switch (params.text('joinMode', 'keepMatches')) {
    case 'keepMatches':
      return from === 'both' ? { keep: 'both', isSwapped: false } : { keep: 'matched', isSwapped };
    case 'keepNonMatches':
      return from === 'both' ? { keep: 'unmatchedAll', isSwapped: false } : { keep: 'unmatched', isSwapped };
    case 'keepEverything':
      return { keep: 'all', isSwapped: false };
    case 'enrichInput1':
      return { keep: 'first', isSwapped: false };
    case 'enrichInput2':
      return { keep: 'first', isSwapped: true };
    default:
      return undefined;
  }
}

/** The same names as a text with commas, or rows with a name for each input. */
function readFields(params: Params): Pair[] {
  const text = params.text('fieldsToMatchString');
  if (text !== '' && !params.flag('advanced')) {
    return text.split(',').map((name) => ({ first: name.trim(), second: name.trim() }));
  }
  return params
    .rows('mergeByFields.values')
    .map((row) => ({ first: readText(row['field1']), second: readText(row['field2']) }));
}

/** A name that the key of a join can have; undefined for an expression, and for a field that is made of others here. */
function nameAt(name: string, { view }: InputPlace): string | undefined {
  if (name === '' || /[=,$]/.test(name)) return undefined;
  const [head = '', ...rest] = name.split('.');
  if (view.made !== undefined && Object.hasOwn(view.made, head)) return undefined;
  const renamed = view.renamed !== undefined && Object.hasOwn(view.renamed, head) ? view.renamed[head] : head;
  return [renamed ?? head, ...rest].join('.');
}

function joined(join: Join, { context, to }: { context: ViewContext; to: Target | undefined }): Plan {
  const [one, two] = [context.input(0), context.input(1)];
  if (one === undefined || two === undefined) return 'the data of an input is not in one node';
  const keys = join.fields.map(({ first, second }) => ({
    first: nameAt(first, one),
    second: nameAt(second, two),
  }));
  const hasKey = join.pairBy === 'key';
  if (keys.length === 0 && hasKey) return 'it names no fields';
  // Expressions after it read the fields of two single items from the nodes that have them.
  if (!hasKey && !one.isList && !two.isList) return '';
  if (keys.some(({ first, second }) => first === undefined || second === undefined))
    return 'its fields are expressions, or are made of others here';
  const isChosen = ['matched', 'unmatched', 'unmatchedAll'].includes(join.keep);
  const sides = [
    { place: one, names: keys.map(({ first }) => first).join(', ') },
    { place: two, names: keys.map(({ second }) => second).join(', ') },
  ];
  const [own, other] = join.isSwapped ? sides.toReversed() : sides;
  if (own === undefined || other === undefined) return '';
  const isOnce = join.partner !== 'all' && !isChosen;
  const others = toListCode([other.place]);
  const data: JsonObject = {
    items: toListCode([own.place]),
    others: isOnce && to !== undefined ? `$${to.stepLabel(PARTNERS)}.items` : others,
    ...(hasKey ? { joinBy: own.names } : { pairBy: join.pairBy }),
    ...(other.names === own.names ? {} : { otherKey: other.names }),
    keep: join.keep,
    ...(isChosen ? {} : { prefer: join.prefer }),
  };
  const view = viewOfJoin(join, { own: own.place.view, other: other.place.view });
  const before = isOnce ? [onePartner(others, { by: other.names, keep: join.partner })] : [];
  return { type: 'join', data, view, before, lines: describeJoin(join, isChosen) };
}

const onePartner = (items: Json, { by, keep }: { by: string; keep: string }): Step => ({
  suffix: PARTNERS,
  type: 'deduplicate',
  data: { items, compareBy: by, keep },
});

/** Fields that have other names here keep them in the items that are joined. */
function viewOfJoin({ keep, prefer }: Join, { own, other }: { own: View; other: View }): View {
  if (keep === 'matched' || keep === 'unmatched') return { ...LIST, ...pickNames(own) };
  return {
    ...LIST,
    renamed: prefer === 'other' ? { ...own.renamed, ...other.renamed } : { ...other.renamed, ...own.renamed },
    made: prefer === 'other' ? { ...own.made, ...other.made } : { ...other.made, ...own.made },
  };
}

const pickNames = ({ renamed = {}, made = {} }: View) => ({ renamed, made });

function describeJoin({ pairBy, keep, isSwapped, isDeep }: Join, isChosen: boolean): string[] {
  const lines: string[] = [];
  if (pairBy === 'key' && isSwapped && !isChosen)
    lines.push('Its items come in the order of the second input here, those without a match included');
  else if (pairBy === 'key' && (keep === 'first' || keep === 'all'))
    lines.push('Items of the first input without a match stay in their place here; n8n puts them last');
  if (isDeep && !isChosen)
    lines.push('An object that both items have under one name is replaced here; n8n merges the two');
  return lines;
}
