import type { Trace } from '@millrace/contracts';
import type { CaseFromCall } from '../evals/add-to-suite-dialog.tsx';
import type { Turn } from './conversation.ts';

/** A call that was answered in words as a test case; undefined for any other. */
export function caseFromTrace(
  turns: readonly Turn[],
  { status, is_cut }: Pick<Trace, 'status' | 'is_cut'>,
): CaseFromCall | undefined {
  const answer = turns.at(-1);
  const question = turns.findLast(({ role }) => role === 'user');
  if (status !== 'success' || answer?.role !== 'assistant' || answer.text === '' || !question)
    return undefined;
  const [first] = turns;
  return {
    system_prompt: first?.role === 'system' ? first.text : '',
    input: question.text,
    expected_output: answer.text,
    is_one_of_many: turns.filter(({ role }) => role !== 'system').length > 2,
    is_cut,
  };
}
