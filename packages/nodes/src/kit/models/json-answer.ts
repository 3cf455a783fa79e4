import { type Json, NodeFailure } from '@millrace/engine';
import { readJsonAnswer } from '@millrace/models';
import { type Answer, type Asked, callModel, modelFailure } from './ask.ts';
import type { ModelCall, Prepared } from './request.ts';

/** The JSON of an answer. A model whose answer cannot be used receives the reason and is asked once more, as the step `repair`. */
export async function jsonOf(
  call: ModelCall,
  prepared: Prepared,
  { answer, target }: Pick<Asked, 'answer' | 'target'>,
): Promise<Json> {
  const first = readAnswer(answer, prepared);
  if (first.problem === undefined) return first.value;
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
    throw error instanceof NodeFailure && !call.signal.aborted ? modelFailure(error.failure, error) : error;
  });
  const second = readAnswer(again, prepared);
  if (second.problem === undefined) return second.value;
  throw new NodeFailure({
    kind: 'upstream',
    message: `LLM JSON parse error: ${second.problem}`,
    details: { text: again.text },
  });
}

type ReadAnswer =
  | { readonly value: Json; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string };

function readAnswer({ text, is_cut }: Answer, { schema }: Prepared): ReadAnswer {
  const read = readJsonAnswer(text, !is_cut);
  if (read.problem !== undefined) {
    return is_cut ? { problem: `${read.problem}; the limit of tokens was reached` } : read;
  }
  const problem = schema?.problemWith(read.value);
  return problem === undefined ? read : { problem: `it does not follow the schema, ${problem}` };
}
