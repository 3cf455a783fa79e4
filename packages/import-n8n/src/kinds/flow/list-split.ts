import type { JsonObject } from '@millrace/engine';
import { Untranslatable } from '../../expression/value.ts';
import { continuesOn } from '../../report/settings.ts';
import type { SourceNode } from '../../source/source.ts';
import { PASSES_ON, type View } from '../../views/views.ts';
import type { Converted, Step, Target, ViewContext } from '../kind.ts';
import { readerForEach } from './conditions.ts';

/** A list whose items are split between the outputs of a node. An output without items runs nothing. */
export interface ListSplit {
  readonly list: string;
  /** The condition that an `item` of each output meets. */
  readonly tests: readonly string[];
  readonly names: View;
  readonly fillsFirst: boolean;
}

type Reader = ReturnType<typeof readerForEach>;

/** The same for every place that asks, also where a circle or a long way would give another answer. */
const known = new WeakMap<SourceNode, ListSplit | undefined>();

/**
 * The outputs of a node that n8n runs for each item of a list; undefined for one item, for conditions that read no item, and
 * where it is not clear which item is meant.
 */
export function buildListSplit(
  node: SourceNode,
  context: ViewContext,
  testsFrom: (each: Reader) => string[],
): ListSplit | undefined {
  if (known.has(node)) return known.get(node);
  known.set(node, undefined);
  const split = madeSplit(node, context, testsFrom);
  known.set(node, split);
  return split;
}

function madeSplit(
  node: SourceNode,
  context: ViewContext,
  testsFrom: (each: Reader) => string[],
): ListSplit | undefined {
  if (node.isDisabled || node.stored['executeOnce'] === true || continuesOn(node.stored)) return undefined;
  const place = context.input(0);
  if (place === undefined || !place.isList) return undefined;
  let readsItem = false;
  const each = readerForEach(node.parameters, {
    ...context,
    each: (stored) => {
      const code = context.each(stored);
      if (code !== undefined && /\bitem\b/.test(code)) readsItem = true;
      return code;
    },
  });
  try {
    const tests = testsFrom(each);
    const list = `${place.label}${place.view.list}`;
    const fillsFirst = node.stored['alwaysOutputData'] === true;
    return readsItem ? { list, tests, names: namesAt(context), fillsFirst } : undefined;
  } catch (error) {
    if (error instanceof Untranslatable) return undefined;
    throw error;
  }
}

/** Names of the items' fields that are other ones here. */
export function namesAt(context: ViewContext): View {
  const { renamed, made } = context.input(0)?.view ?? {};
  return { ...(renamed && { renamed }), ...(made && { made }) };
}

/** The node before the conditions that has the list of each output. */
const LISTS = 'Lists';
const listAt = (output: number): string => `output${output}`;

export function viewOfSplit(split: ListSplit | undefined, output: number): View {
  if (split === undefined || output >= split.tests.length) return PASSES_ON;
  const list = `.${listAt(output)}`;
  return { ...split.names, step: LISTS, first: `${list}[0]`, list, keepsItems: true, hasItems: true };
}

/** `fillsFirst`: one empty item goes to the first output where no other does. */
export function splitList({ list, tests, fillsFirst }: ListSplit, to: Target): Converted {
  const label = to.stepLabel(LISTS);
  const mappings = tests.map((test, output) => {
    const kept = `${list}.filter(${JSON.stringify(`bool(${test})`)})`;
    const isFilled = fillsFirst && output === 0;
    const value = isFilled ? `$len(${list}) > 0 and len(${kept}) == 0 ? [dict()] : ${kept}` : `$${kept}`;
    return { key: listAt(output), value };
  });
  const hasItems = (output: number): JsonObject => ({ condition: `$len(${label}.${listAt(output)}) > 0` });
  const beside = tests
    .slice(1)
    .map(
      (_, index): Step => ({ suffix: `Output${index + 1}`, type: 'condition', data: hasItems(index + 1) }),
    );
  return {
    type: 'condition',
    data: hasItems(0),
    before: [{ suffix: LISTS, type: 'set', data: { mappings } }],
    beside,
    isForAll: true,
    fillsNone: fillsFirst,
  };
}
