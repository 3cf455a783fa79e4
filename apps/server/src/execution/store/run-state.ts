import type { Outcome } from '@millrace/engine';
import type { RefusedCall } from '../model/run.ts';

/** Column `runs.state`. Where SQL names a state it takes the number from here. */
export const STATE = { queued: 0, running: 1, waiting: 2, done: 3 } as const;

export type RunState = keyof typeof STATE;

const NAMES: readonly RunState[] = ['queued', 'running', 'waiting', 'done'];

/** Column `runs.status`: of a run that is queued `running`, and of calls that have no run the last two. */
export type StoredStatus = Outcome['status'] | 'running' | RefusedCall['status'];

/** @throws Error for a number that no version of this program has written */
export function stateName(state: number): RunState {
  const name = NAMES[state];
  if (name === undefined) throw new Error(`a stored run has the unknown state ${state}`);
  return name;
}

/** Conditions on the state of a run, for SQL; partial indexes are found by exactly this form. */
export const isInState = (state: RunState, column = 'state'): string => `${column} = ${STATE[state]}`;
export const hasNotEnded = (column = 'state'): string => `${column} < ${STATE.done}`;

/** Failures that ask for a person; partial indexes are found by exactly this form. */
export const isInInbox = (prefix = ''): string =>
  `${prefix}status = 'error' AND ${prefix}dismissed_at IS NULL`;
export const isDismissed = (prefix = ''): string =>
  `${prefix}status = 'error' AND ${prefix}dismissed_at IS NOT NULL`;

/**
 * Format of stored records. Raise it when their shape changes: older programs leave such runs queued, this one reads all
 * formats. Record the former one first (`tools/upgrade/record.ts`).
 *
 * 1: rows of nodes are objects. 2: rows have their fields by place and name parts of the run's input.
 * 3: where a row is masked, the real one is sealed beside it; steps and pauses of nodes have rows, and decisions a word.
 * 4: rows may be taken over from another run, and options name the only nodes that may start.
 * 5: rows name the references of their texts that had no value.
 */
export const ENGINE_VERSION = 5;
