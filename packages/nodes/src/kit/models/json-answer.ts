import { type Json, NodeFailure } from '@millrace/engine';
import type { Reading } from '@millrace/models';
import type { ParseOptions } from '../parsing/parsers.ts';
import { type Answer, type Asked, callModel, inModelWords } from './ask.ts';
import type { ModelCall, Prepared } from './request.ts';

/** The handling of the second question for an answer that cannot be used. */
export interface Repairing {
  /** Why it must not be asked; undefined when it may. */
  refusal(): string | undefined;
  /** It was answered. */
  onAnswer(answer: Answer): void;
}

/** The JSON of an answer. A model whose answer cannot be used receives the reason and is asked once more, as the step `repair`. */
export async function readJsonAnswer(
  call: ModelCall,
  prepared: Prepared,
  { answer, target, repairing }: Pick<Asked, 'answer' | 'target'> & { readonly repairing?: Repairing },
): Promise<Json> {
  const first = await readAnswer(call, answer, prepared);
  if (first.problem === undefined) return first.value;
  const refusal = repairing?.refusal();
  if (refusal !== undefined) throw unusable(`${first.problem}; ${refusal}`, answer);
  const repair = {
    ...prepared,
    // A conversation with tools keeps their descriptions, without which some providers refuse it.
    ...(prepared.tools?.length ? { is_last: true } : {}),
    messages: [
      ...prepared.messages,
      { role: 'assistant' as const, text: answer.text },
      {
        role: 'user' as const,
        text: `That cannot be used: ${first.problem}. Answer again, only with the JSON.`,
      },
    ],
  };
  const again = await callModel(call, 'repair', target, repair).catch((error: unknown) => {
    throw inModelWords(call, error);
  });
  repairing?.onAnswer(again);
  const second = await readAnswer(call, again, prepared);
  if (second.problem === undefined) return second.value;
  throw unusable(second.problem, again);
}

const unusable = (problem: string, { text }: Answer): NodeFailure =>
  new NodeFailure({ kind: 'upstream', message: `LLM JSON parse error: ${problem}`, details: { text } });

type AnswerText = Pick<Answer, 'text' | 'is_cut'>;

/** The JSON of one answer, or what is wrong with it. */
export async function readAnswer(
  call: ModelCall,
  answer: AnswerText,
  { schema }: Prepared,
): Promise<Reading<Json>> {
  const { is_cut } = answer;
  const read = await jsonIn(call, answer);
  if (read.problem !== undefined) {
    return is_cut ? { problem: `${read.problem}; the limit of tokens was reached` } : read;
  }
  if (!schema) return read;
  // The schema source: a compiled check consists of functions, which cannot be sent to another process.
  const args: [Json, string] = [read.value, call.params.jsonOutputSchema];
  const problem = await call.services.parsers.run('answer_problem', args, checking(call));
  return problem === undefined ? read : { problem: `it does not follow the schema, ${problem}` };
}

const checking = ({ signal }: ModelCall): ParseOptions => ({
  what: 'The answer of the model',
  action: 'check',
  signal,
});

/** As it is first: a repair takes much longer. */
async function jsonIn(call: ModelCall, { text, is_cut }: AnswerText): Promise<Reading<Json>> {
  const { parsers } = call.services;
  const read = await parsers.run('json_answer', [text, false], { ...checking(call), action: 'read' });
  if (read.problem === undefined || is_cut || !/^\s*(```|[[{])/.test(text)) return read;
  try {
    return await parsers.run('json_answer', [text, true], checking(call));
  } catch (error) {
    if (error instanceof NodeFailure && error.failure.final) return read;
    throw error;
  }
}
