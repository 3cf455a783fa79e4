import { receivingKind } from '@millrace/engine';
import type { NodeCall } from '../../node-call.ts';

/** Whether what the node returns comes from elsewhere. */
export function readsOutside({ definition, data }: Pick<RunNode, 'definition' | 'data'>): boolean {
  const { returns_outside_content: returns } = definition.traits;
  return typeof returns === 'function' ? returns(data) : returns;
}

/** Agents that have read content from outside; the agents that they ask begin with it. */
const readers = new WeakSet<NodeCall>();

type AnyCall = Pick<NodeCall<unknown>, 'callers' | 'preceding' | 'services'>;

/**
 * Whether content from outside came before a node: from its callers, from nodes on a path to it, or from the run that
 * started its run.
 */
export const beginsWithOutsideContent = ({ callers, preceding, services }: AnyCall): boolean => {
  const { outsideContent } = services;
  return (
    outsideContent.is_inherited ||
    callers.some((caller) => readers.has(caller)) ||
    preceding.some((node) => bringsOutsideContent(node) || outsideContent.isReturnedTo(node.id))
  );
};

/**
 * Anything that the run has read before the agent begins counts as read by the agent, because it may have reached a variable, a table
 * or a memory. The answer is recorded as the first step, so that a repeated agent decides the same even if more nodes have ended.
 */
export async function beginWithContentOfRun(call: NodeCall): Promise<void> {
  const { outsideContent } = call.services;
  if (await call.step('outside-content', 'pure', () => outsideContent.isReadInRun())) readers.add(call);
}

/** Whether an agent works with content from outside, which may hold instructions of strangers. */
export class OutsideContent {
  readonly #call: NodeCall;

  constructor(call: NodeCall) {
    this.#call = call;
    if (beginsWithOutsideContent(call)) readers.add(call);
  }

  get isRead(): boolean {
    return readers.has(this.#call);
  }

  /** Call it when all tools that ran together have ended, so that a repeated agent decides the same. */
  note(): void {
    readers.add(this.#call);
  }
}

type RunNode = NodeCall['preceding'][number];

/** Whether a node of that kind brings content from outside. Agents count as well: what they answer may come from what they have read. */
export function bringsOutsideContent({
  definition,
  data,
  effect,
}: Pick<RunNode, 'definition' | 'data' | 'effect'>): boolean {
  const kind = receivingKind(definition, data);
  if (definition.traits.role === 'trigger') return kind !== null && kind !== 'clock' && kind !== 'event';
  return definition.traits.as_tool
    ? readsOutside({ definition, data }) && effect !== 'pure'
    : definition.type === 'agent';
}
