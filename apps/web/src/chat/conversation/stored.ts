import type { PortalTurn } from '@millrace/contracts';
import { questionText } from '@millrace/contracts/portal-text';
import { ended, isUnderWay } from './follow-run.ts';
import { type Inputs, isWorking, type Message, newAnswer, newMessageId } from './message.ts';

/** A stored conversation as messages; the answer of a run that is under way is open. */
export const toMessages = (turns: readonly PortalTurn[]): Message[] =>
  turns.flatMap((turn) => {
    const { execution_id, inputs, status, outputs } = turn;
    const end = isUnderWay(turn) ? {} : ended(status, outputs);
    return [
      { id: `${execution_id}-question`, role: 'user', inputs },
      { ...newAnswer(), id: execution_id, execution_id, ...end },
    ];
  });

/**
 * Puts a message that the server has not taken at the end, to be sent again. One that it has taken after all, because the
 * page was left before it could learn so, is there already.
 */
export function withUnsent(messages: readonly Message[], inputs: Inputs | undefined): readonly Message[] {
  const last = messages.findLast(({ role }) => role === 'user');
  // As text, for the server keeps of a large file its type alone.
  const isThere = inputs && last?.role === 'user' && questionText(last.inputs) === questionText(inputs);
  if (!inputs || isThere) return messages;
  return [
    ...messages,
    { id: newMessageId(), role: 'user', inputs },
    { ...newAnswer(), state: 'failed', problem: { kind: 'unsent' } },
  ];
}

/** The last question if the server has not taken it. */
export function findUnsent(messages: readonly Message[]): Inputs | undefined {
  const [question, answer] = messages.slice(-2);
  if (question?.role !== 'user' || answer?.role !== 'assistant') return undefined;
  const isOpen = isWorking(answer) || answer.state === 'failed';
  return isOpen && answer.execution_id === undefined ? question.inputs : undefined;
}
