import { isJsonObject, type Json, type JsonObject, readText } from '@millrace/engine';
import { Params } from '../../source/params.ts';
import { formatScalar, type SourceNode } from '../../source/source.ts';
import { NUMBERED, PASSES_ON } from '../../views/views.ts';
import { type Converted, type Kind, NotConvertible, type Target, type ViewContext } from '../kind.ts';
import { buildCondition, conditionForEach, conditionFrom, testsIn } from './conditions.ts';
import { buildListSplit, filtered, type ListSplit, namesAt, splitList, viewOfSplit } from './list-split.ts';

/** Reads whether types are converted, which the conditions repeat. */
function readLoose({ params }: Target): void {
  params.flag('looseTypeValidation');
  params.flag('options.looseTypeValidation');
}

function condition(to: Target, path = 'conditions') {
  to.params.get('options.ignoreCase');
  readLoose(to);
  return { type: 'condition', data: { condition: conditionFrom(to, path) } };
}

export const ifNode: Kind = {
  view: (node, output, context) => viewOfSplit(splitOfIf(node, context), output),
  output: (_, index) => ['true', 'false'][index] ?? 'error',
  convert: (node, to) => {
    const split = splitOfIf(node, to.context);
    // Reads the parameters, and reports what differs.
    const whole = condition(to);
    return split === undefined ? whole : splitList(split, to);
  },
};

function splitOfIf(node: SourceNode, context: ViewContext): ListSplit | undefined {
  return buildListSplit(node, context, (each) => {
    const test = conditionFrom(each, 'conditions').slice('$'.length);
    return [test, `not ${test}`];
  });
}

/** The items of a list that fit, in a node before the condition, which ends the branch when there are none. */
const KEPT = 'Kept';

/** Set to hand on one empty item where it has none. */
const fillsNone = ({ stored }: SourceNode): boolean => stored['alwaysOutputData'] === true;

export const filter: Kind = {
  view: (node, __, context) =>
    context.getsList() || fillsNone(node)
      ? {
          ...namesAt(context),
          step: KEPT,
          first: '.items[0]',
          list: '.items',
          keepsItems: true,
          hasItems: true,
        }
      : PASSES_ON,
  output: (_, index) => (index === 0 ? 'true' : 'error'),
  convert: (node, to) => {
    if (to.context.getsList() || fillsNone(node)) return keptItems(to, fillsNone(node));
    to.say('n8n keeps some items of a list; here the run continues or ends for the whole of the data');
    return condition(to);
  },
};

/** Code of the items that fit, also by their place or by the item of another list that they were made of. */
function keptCode(to: Target, list: string): string | undefined {
  const test = conditionForEach(to, 'conditions');
  if (test !== undefined) return filtered(list, test);
  const numbered = conditionForEach(to, 'conditions', NUMBERED);
  return numbered && filtered(list, numbered, true);
}

function keptItems(to: Target, isFilled: boolean): Converted {
  const all = to.context.list();
  const list = all === undefined ? to.listCode() : to.context.isForFirst ? `${all}.take(1)` : all;
  to.params.get('options.ignoreCase');
  readLoose(to);
  const kept = keptCode(to, list);
  if (kept === undefined)
    throw new NotConvertible('its condition reads data that does not belong to an item of the list');
  const value = isFilled ? `$len(${kept}) > 0 ? ${kept} : [dict()]` : `$${kept}`;
  const tested = isFilled ? list : `${to.stepLabel(KEPT)}.items`;
  return {
    type: 'condition',
    data: { condition: `$len(${tested}) > 0` },
    before: [{ suffix: KEPT, type: 'set', data: { mappings: [{ key: 'items', value }] } }],
    isForAll: true,
    fillsNone: isFilled,
  };
}

/** Rules that all compare one value with a text for equality are a switch here. */
export const switchNode: Kind = {
  view: (node, output, context) => viewOfSplit(splitOfSwitch(node, context), output),
  output: outputOfSwitch,
  convert: (node, to) => {
    const { params } = to;
    const split = splitOfSwitch(node, to.context);
    const mode = params.text('mode', 'rules');
    readLoose(to);
    for (const key of [
      'dataType',
      'rules',
      'options',
      'numberOutputs',
      'outputsAmount',
      'fallbackOutput',
      'value1',
    ]) {
      params.get(key);
    }
    if (mode === 'expression') {
      const count = countOfOutputs(params);
      return {
        type: 'switch',
        data: {
          expression: to.value(params.get('output'), 'expression'),
          cases: Array.from({ length: count }, (_, index) => String(index)),
        },
      };
    }
    if (split !== undefined) return splitList(split, to);
    if (params.flag('options.allMatchingOutputs'))
      to.say('n8n continues at every output whose rule is met; here only at the first', 'cases');
    return switchOfRules(to, node);
  },
};

/** Rules by which items can be told apart; each is a node here. */
const MOST_LISTS = 20;

/** Each item goes to the output of the first rule that it meets, or to all of them. */
function splitOfSwitch(node: SourceNode, context: ViewContext): ListSplit | undefined {
  const rules = readRules(node);
  const isRules = formatScalar(node.parameters['mode'], 'rules') === 'rules';
  if (!isRules || rules.length === 0 || rules.length > MOST_LISTS || !hasOwnOutputs(node, rules))
    return undefined;
  const fallback = readFallback(node);
  // Outputs between the last rule and that of the rest do not exist from version 2 on.
  if (fallback > rules.length) return undefined;
  return buildListSplit(node, context, (each) => {
    const met = rules.map((rule) => buildCondition(each, rule).slice('$'.length));
    const isAll = new Params(node.parameters).flag('options.allMatchingOutputs');
    const before = (index: number) => met.slice(0, index).map((test) => `not ${test}`);
    const lists = met.map((test, index) => [...(isAll ? [] : before(index)), test].join(' and '));
    return fallback === -1 ? lists : [...lists, before(met.length).join(' and ')];
  });
}

interface Rule {
  readonly tests: ReturnType<typeof testsIn>;
  readonly isAny: boolean;
  readonly output: number;
}

/** Rules of version 3 (`rules.values[].conditions`) and of those before (`rules.rules[]` beside one `value1`). */
function readRules({ parameters, version }: SourceNode): Rule[] {
  const rules = isJsonObject(parameters['rules']) ? parameters['rules'] : {};
  const stored = rules['values'] ?? rules['rules'];
  if (!Array.isArray(stored)) return [];
  return stored.filter(isJsonObject).map((rule, index) => {
    if (isJsonObject(rule['conditions'])) {
      const isAny = rule['conditions']['combinator'] === 'or';
      return { tests: testsIn(rule['conditions']), isAny, output: index };
    }
    // Rules of the first version name one of its four outputs, and leave out the first.
    const named = typeof rule['output'] === 'number' ? rule['output'] : 0;
    const type = readText(parameters['dataType']) || 'number';
    const test: JsonObject = { ...rule, value1: parameters['value1'] ?? null };
    return { tests: testsIn({ [type]: [test] }), isAny: false, output: version < 2 ? named : index };
  });
}

/** An additional output after those of the rules. */
const EXTRA = -2;

/** The output of what fits no rule; -1 for none. */
function readFallback({ parameters }: SourceNode): number {
  const options = isJsonObject(parameters['options']) ? parameters['options'] : {};
  const stored = options['fallbackOutput'] ?? parameters['fallbackOutput'];
  if (stored === 'extra') return EXTRA;
  return typeof stored === 'number' ? stored : -1;
}

/** True when each rule has an output of its own in their order, which is what cases are here. */
function hasOwnOutputs(node: SourceNode, rules: readonly Rule[]): boolean {
  const fallback = readFallback(node);
  const isShared = fallback >= 0 && fallback < rules.length;
  return !isShared && rules.every(({ output }, index) => output === index);
}

/** The number of outputs that are cases here. */
function countOutputs(node: SourceNode, rules: readonly Rule[]): number {
  if (readText(node.parameters['mode']) === 'expression') return countOfOutputs(new Params(node.parameters));
  return node.version < 2 && !hasOwnOutputs(node, rules) ? OUTPUTS_OF_FIRST_VERSION : rules.length;
}

const OUTPUTS_OF_FIRST_VERSION = 4;

const countOfOutputs = (params: Params): number =>
  Math.min(Math.max(params.number('numberOutputs', params.number('outputsAmount', 4)), 1), 200);

/** Cases, then what fits no rule, then the output of errors. n8n draws more outputs than it takes. */
function outputOfSwitch(node: SourceNode, index: number): string | null {
  const count = countOutputs(node, readRules(node));
  if (index < count) return `case-${index}`;
  if (readText(node.parameters['mode']) !== 'expression') {
    const fallback = readFallback(node);
    if (index === (fallback === EXTRA ? count : fallback)) return 'default';
  }
  return readText(node.stored['onError']) === 'continueErrorOutput' ? 'error' : null;
}

function switchOfRules(to: Target, node: SourceNode) {
  const rules = readRules(node);
  const isPlain = hasOwnOutputs(node, rules);
  const left = rules[0]?.tests[0]?.left;
  const cases: Json[] = [];
  for (const { tests } of rules) {
    const [test] = tests;
    const isEqual = test?.operation === 'equal' || test?.operation === 'equals';
    const isFixed = typeof test?.right !== 'string' || !test.right.startsWith('=');
    if (tests.length === 1 && isEqual && isFixed && !test.ignoresCase && test.left === left)
      cases.push(formatScalar(test.right));
  }
  if (isPlain && cases.length === rules.length) {
    return { type: 'switch', data: { expression: to.value(left, 'expression'), cases } };
  }
  // Any other rules: the output of the first one that is true is the value.
  const numbers = rules.map((rule) => `${buildCondition(to, rule).slice(1)} ? ${rule.output} : `);
  const otherwise = isPlain ? -1 : readFallback(node);
  const outputs = Array.from({ length: countOutputs(node, rules) }, (_, index) => String(index));
  return { type: 'switch', data: { expression: `$int(${numbers.join('')}${otherwise})`, cases: outputs } };
}
