import { type NodeDefinition, receivingKind } from '@millrace/engine';
import type { NodeCall } from '../../node-call.ts';
import type { AgentCall, Tool } from './tool.ts';

/** Families of nodes whose results come from other services. */
const OUTSIDE: ReadonlySet<string> = new Set(['network', 'integration']);

/** Whether what nodes of the type return comes from another service. */
export const readsOutside = ({ family }: Pick<NodeDefinition, 'family'>): boolean => OUTSIDE.has(family);

/** Agents that have read content from outside; the agents that they ask begin with it. */
const readers = new WeakSet<NodeCall>();

/** Whether an agent works with content from outside, which may hold instructions of strangers. */
export class OutsideContent {
  readonly #call: AgentCall;

  constructor(call: AgentCall) {
    this.#call = call;
    if (call.callers.some((caller) => readers.has(caller)) || call.preceding.some(isOutside))
      readers.add(call);
  }

  get isRead(): boolean {
    return readers.has(this.#call);
  }

  /** Call it when all tools that ran together have ended, so that a repeated agent decides the same. */
  note(tools: readonly Tool[]): void {
    if (tools.some(({ touches }) => touches !== 'nothing')) readers.add(this.#call);
  }
}

/** Agents count as well: what they answer may come from what they have read. */
function isOutside({ definition, data, effect }: AgentCall['preceding'][number]): boolean {
  const kind = receivingKind(definition, data);
  if (definition.traits.role === 'trigger') return kind !== null && kind !== 'clock' && kind !== 'event';
  return definition.traits.as_tool
    ? readsOutside(definition) && effect !== 'pure'
    : definition.type === 'agent';
}
