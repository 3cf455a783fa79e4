import type { ModelMessage, ToolMessage } from '@millrace/models';
import { type Targets, type Turn, takeTurn } from '../../kit/models/ask.ts';
import type { Prepared } from '../../kit/models/request.ts';
import type { AgentCall } from '../tools/tool.ts';

export type Message = ModelMessage | ToolMessage;

/** Share of the context window from which on older messages are summarised. */
const FULL = 0.8;
/** A usual estimate for all models. */
const CHARACTERS_PER_TOKEN = 4;
const SYSTEM =
  'You summarise the work of an assistant so far, so that it can continue without the messages. Keep every fact, number, ' +
  'name, address and decision that may still be needed, what was done, and what is left to do.';

export interface Context {
  /** Before the work on the question began: history and question. */
  readonly opening: readonly Message[];
  /** Answers that asked for tools, each followed by the results. */
  readonly work: readonly Message[];
}

/** Whether the next call would nearly fill the window. */
export function isFull(prepared: Prepared, { opening, work }: Context, window_tokens: number): boolean {
  const size = JSON.stringify([prepared.system, prepared.tools ?? [], opening, work]).length;
  return size / CHARACTERS_PER_TOKEN > window_tokens * FULL;
}

/** Messages of the work that stay as they are: the last answer with its results. */
const KEPT = 2;

/**
 * The same conversation with a summary by the model in place of the messages in the middle: the first and the last message
 * of the user stay, and the last results. Undefined when nothing is left to summarise.
 */
export async function compressed(
  call: AgentCall,
  key: string,
  { targets, prepared, context }: { targets: Targets; prepared: Prepared; context: Context },
): Promise<{ context: Context; turn: Turn } | undefined> {
  const { opening, work } = context;
  const [first] = opening;
  const question = opening.at(-1);
  const older = [...opening.slice(1, -1), ...work.slice(0, -KEPT)];
  if (!first || !question || older.length === 0) return undefined;
  const text = older.map(inWords).join('\n\n');
  const { tools: _tools, json: _json, schema: _schema, ...request } = prepared;
  const turn = await takeTurn(call, key, targets, {
    ...request,
    schema: undefined,
    system: SYSTEM,
    messages: [{ role: 'user', text: `The task:\n${inWords(question)}\n\nThe messages:\n${text}` }],
  });
  const summary: Message[] = [
    { role: 'assistant', text: `Summary of the work so far:\n${turn.answer.text}` },
    { role: 'user', text: 'Continue with the task.' },
  ];
  return {
    turn,
    context: {
      opening: first === question ? [question] : [first, question],
      work: [...summary, ...work.slice(-KEPT)],
    },
  };
}

function inWords(message: Message): string {
  if (message.role === 'tool') {
    return message.results.map(({ name, text }) => `Result of ${name}: ${text}`).join('\n');
  }
  const uses = (message.tool_calls ?? []).map((use) => `Uses ${use.name} with ${use.arguments}`);
  return [`${message.role}: ${message.text}`, ...uses].join('\n');
}
