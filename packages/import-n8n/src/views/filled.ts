import type { Step } from '../kinds/kind.ts';
import type { SourceNode } from '../source/source.ts';
import type { View } from './places.ts';

/** Behind the label of a node with the list that is never empty. */
export const FILLED = 'OrEmptyItem';
const KEY = 'items';

/** Hands on one empty item where the list has none. */
export const fillStep = (list: string): Step => ({
  suffix: FILLED,
  type: 'set',
  data: { mappings: [{ key: KEY, value: `$len(${list}) > 0 ? ${list} : [dict()]` }] },
});

export const viewOfFilled = ({ renamed, made }: View): View => ({
  ...(renamed && { renamed }),
  ...(made && { made }),
  step: FILLED,
  first: `.${KEY}[0]`,
  list: `.${KEY}`,
  hasItems: true,
});

/** Behind the label of a node with the list of its answer. */
const ANSWER = 'List';

const fillsAnswer = ({ stored }: SourceNode): boolean => stored['alwaysOutputData'] === true;

/** Hands on the entries of an answer that is a list, and another one as a list of one. */
export function answerStep(node: SourceNode, answer: string): Step {
  const list = `array(${answer}).flat()`;
  const value = fillsAnswer(node) ? `$len(${list}) > 0 ? ${list} : [dict()]` : `$${list}`;
  return { suffix: ANSWER, type: 'set', data: { mappings: [{ key: KEY, value }] } };
}

export const viewOfAnswer = (node: SourceNode): View => ({
  step: ANSWER,
  first: `.${KEY}[0]`,
  list: `.${KEY}`,
  ...(fillsAnswer(node) && { hasItems: true }),
});
