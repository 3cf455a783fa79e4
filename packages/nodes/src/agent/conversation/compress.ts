import type { ModelMessage, ToolMessage } from '@millrace/models';
import type { Turn } from '../../kit/models/ask.ts';
import type { Prepared } from '../../kit/models/request.ts';
import { DATA_RULE } from '../../kit/text/marked-data.ts';

export type Message = ModelMessage | ToolMessage;

/** Share of the context window from which on older messages are summarised. */
const FULL = 0.8;
/** A usual estimate for all models. */
const CHARACTERS_PER_TOKEN = 4;
/** A large image as providers count it, which does not depend on the length of its data URL. */
const TOKENS_PER_IMAGE = 1_600;
const SYSTEM =
  'You summarise the work of an assistant so far, so that it can continue without the messages. Keep every fact, number, ' +
  'name, address and decision that may still be needed, what was done, and what is left to do. ' +
  DATA_RULE;

export interface Context {
  /** Before the work on the question began: history and question. */
  readonly opening: readonly Message[];
  /** Answers that asked for tools, each followed by the results. */
  readonly work: readonly Message[];
}

/** Whether the next call would nearly fill the window. */
export function isFull(prepared: Prepared, { opening, work }: Context, window_tokens: number): boolean {
  const messages = [...opening, ...work];
  const size = JSON.stringify([prepared.system, prepared.tools ?? [], messages.map(withoutImages)]).length;
  const images = messages.reduce((sum, message) => sum + getImages(message).length, 0);
  return size / CHARACTERS_PER_TOKEN + images * TOKENS_PER_IMAGE > window_tokens * FULL;
}

const getImages = (message: Message): readonly string[] =>
  message.role === 'tool' ? [] : (message.images ?? []);

const withoutImages = (message: Message): Message =>
  message.role === 'tool' ? message : { ...message, images: [] };

/** Messages of the work that stay as they are: the last answer with its results. */
const KEPT = 2;

/**
 * The same conversation with a summary by the model in place of the messages in the middle: the first and the last message
 * of the user stay, and the last results. The same when nothing is left to summarise.
 *
 * @param ask puts a question to the model of the conversation
 */
export async function compressed(
  context: Context,
  prepared: Prepared,
  ask: (question: Prepared) => Promise<Turn>,
): Promise<Context> {
  const { opening, work } = context;
  const [first] = opening;
  const question = opening.at(-1);
  const older = [...opening.slice(1, -1), ...work.slice(0, -KEPT)];
  if (!first || !question || older.length === 0) return context;
  const text = older.map(inWords).join('\n\n');
  const { tools: _tools, json: _json, schema: _schema, ...request } = prepared;
  const { answer } = await ask({
    ...request,
    schema: undefined,
    is_shown: false,
    system: SYSTEM,
    messages: [{ role: 'user', text: `The task:\n${inWords(question)}\n\nThe messages:\n${text}` }],
  });
  const summary: Message[] = [
    { role: 'assistant', text: `Summary of the work so far:\n${answer.text}` },
    { role: 'user', text: 'Continue with the task.' },
  ];
  return {
    opening: first === question ? [question] : [first, question],
    work: [...summary, ...work.slice(-KEPT)],
  };
}

function inWords(message: Message): string {
  if (message.role === 'tool') {
    return message.results.map(({ name, text }) => `Result of ${name}: ${text}`).join('\n');
  }
  const uses = (message.tool_calls ?? []).map((use) => `Uses ${use.name} with ${use.arguments}`);
  return [`${message.role}: ${message.text}`, ...uses].join('\n');
}
