import type { JsonObject } from '@millrace/engine';
import { Untranslatable } from '../../expression/value.ts';
import { continuesOn } from '../../report/settings.ts';
import type { SourceNode } from '../../source/source.ts';
import { type Each, MAPPED, NUMBERED, PASSES_ON, type View } from '../../views/views.ts';
import type { Converted, Step, Target, ViewContext } from '../kind.ts';
import { readerForEach } from './conditions.ts';

/** A list whose items are split between the outputs of a node. An output without items runs nothing. */
export interface ListSplit {
  readonly list: string;
  /** The condition that an `item` of each output meets. */
  readonly tests: readonly string[];
  readonly names: View;
  readonly fillsFirst: boolean;
  /** The conditions are for items with their place. */
  readonly isNumbered: boolean;
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
  const list = `${place.label}${place.view.list}`;
  const fillsFirst = node.stored['alwaysOutputData'] === true;
  for (const item of [MAPPED, NUMBERED]) {
    const tests = testsOfItem(node, { context, item, testsFrom });
    if (tests !== undefined)
      return tests.readsItem
        ? { list, tests: tests.codes, names: namesAt(context), fillsFirst, isNumbered: item === NUMBERED }
        : undefined;
  }
  return undefined;
}

/** The conditions for one item; undefined where they cannot be written for one. */
function testsOfItem(
  node: SourceNode,
  how: { context: ViewContext; item: Each; testsFrom: (each: Reader) => string[] },
): { codes: string[]; readsItem: boolean } | undefined {
  let readsItem = false;
  const each = readerForEach(node.parameters, {
    ...how.context,
    each: (stored) => {
      const code = how.context.each(stored, how.item);
      if (code !== undefined && /\bitem\b/.test(code)) readsItem = true;
      return code;
    },
  });
  try {
    const codes = how.testsFrom(each);
    return { codes, readsItem };
  } catch (error) {
    if (error instanceof Untranslatable) return undefined;
    throw error;
  }
}

/** Code of the items of a list that meet a condition, which may be for items with their place. */
export function filtered(list: string, test: string, isNumbered = false): string {
  const kept = `${isNumbered ? `${list}.withIndex()` : list}.filter(${JSON.stringify(test)})`;
  return isNumbered ? `${kept}.map("item.value")` : kept;
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
export function splitList({ list, tests, fillsFirst, isNumbered }: ListSplit, to: Target): Converted {
  const label = to.stepLabel(LISTS);
  const mappings = tests.map((test, output) => {
    const kept = filtered(list, `bool(${test})`, isNumbered);
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
