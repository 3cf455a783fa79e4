import type { NodeFinished } from '@millrace/engine';

const REUSED = 'reused';
/** The earlier run was given up before it wrote its global variables, so this one does. */
const UNWRITTEN = 'unwritten';

/** Whether the result was taken over from the run that this one is a replay of. */
export const isReused = ({ metadata }: Pick<NodeFinished, 'metadata'>): boolean =>
  metadata?.[REUSED] === true;

/** Whether another run has written the global variables of the result. */
export const isWrittenElsewhere = (result: Pick<NodeFinished, 'metadata'>): boolean =>
  isReused(result) && result.metadata?.[UNWRITTEN] !== true;

/**
 * A result as the replay has it: it cost no time, and says where it comes from.
 *
 * @param wrote whether the earlier run wrote its global variables when it ended
 */
export function reused(
  result: NodeFinished,
  { sequence, now, wrote }: { sequence: number; now: number; wrote: boolean },
): NodeFinished {
  const { [REUSED]: _, [UNWRITTEN]: __, ...metadata } = result.metadata ?? {};
  const isUnwritten = !wrote && !isWrittenElsewhere(result);
  return {
    ...result,
    sequence,
    started_at_ms: now,
    ended_at_ms: now,
    execution_time_ms: 0,
    metadata: { ...metadata, [REUSED]: true, ...(isUnwritten ? { [UNWRITTEN]: true } : {}) },
  };
}
