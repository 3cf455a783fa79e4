import type { AssistantFrame } from '@millrace/contracts';
import { type JsonObject, NodeFailure } from '@millrace/engine';
import { type ModelMessage, readJsonAnswer, type ToolMessage, type ToolUse } from '@millrace/models';
import { AppError } from '../../../core/app-error.ts';
import type { OpenModel } from '../../open-model.ts';
import { askToConfirm } from '../confirmation.ts';
import { TURN_LIMITS } from '../limits.ts';
import type { Tool, ToolWorld } from '../tools/tool.ts';
import { markedData } from './data.ts';

export type Message = ModelMessage | ToolMessage;

export interface Talk {
  readonly world: ToolWorld;
  readonly model: OpenModel;
  readonly system: string;
  /** The question last. */
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
}

/** A turn that cannot continue, in words for the person. */
export class TurnEnded extends Error {}

const NO_MORE_TOOLS = 'No more tools can be used. Answer now with what you have.';

/** One turn: asks the model and uses tools until it answers, waits for a person, or a limit is reached. */
export async function converse(talk: Talk): Promise<void> {
  const { model, system, world } = talk;
  const byName = new Map(talk.tools.map((tool) => [tool.definition.name, tool]));
  const tools = talk.tools.map(({ definition }) => definition);
  const speak = speaker(world.emit);
  let messages: readonly Message[] = talk.messages;
  let tokens = 0;
  for (let call = 1; ; call++) {
    if (tokens >= TURN_LIMITS.tokens)
      throw new TurnEnded(
        `The assistant stopped at its limit of ${TURN_LIMITS.tokens} tokens for one answer`,
      );
    const is_last = call > TURN_LIMITS.calls;
    const asked = is_last ? [...messages, { role: 'user' as const, text: NO_MORE_TOOLS }] : messages;
    const answer = await model.ask({ system, messages: asked, tools, is_last, onText: speak.piece });
    tokens += answer.usage.total_tokens;
    const { text, tool_calls = [], reasoning } = answer;
    if (is_last || tool_calls.length === 0) {
      if (text === '') speak.piece(`The assistant stopped after ${TURN_LIMITS.calls} calls of the model.`);
      return;
    }
    speak.pause();
    const done = await answersTo(talk, byName, tool_calls);
    if (done.some(({ waits }) => waits)) return;
    messages = [
      ...messages,
      { role: 'assistant', text, tool_calls, ...(reasoning ? { reasoning } : {}) },
      { role: 'tool', results: done },
    ];
  }
}

/** Texts of several answers become one, with a paragraph between them. */
function speaker(emit: (frame: AssistantFrame) => void) {
  let hasSpoken = false;
  let isNew = false;
  return {
    piece(text: string): void {
      emit({ type: 'content', text: isNew ? `\n\n${text}` : text });
      hasSpoken = true;
      isNew = false;
    },
    pause(): void {
      isNew = hasSpoken;
    },
  };
}

interface Done {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly is_error: boolean;
  /** The person is asked to confirm it. */
  readonly waits: boolean;
}

/** In the order of the answer, one after another. */
async function answersTo(
  talk: Talk,
  tools: ReadonlyMap<string, Tool>,
  uses: readonly ToolUse[],
): Promise<Done[]> {
  const done: Done[] = [];
  for (const [at, use] of uses.entries()) {
    const outcome =
      at < TURN_LIMITS.tools_at_once
        ? await runTool(talk, tools.get(use.name), use)
        : { error: `Not used: ${TURN_LIMITS.tools_at_once} tools at once are the most` };
    done.push(toDone(talk, use, outcome));
  }
  return done;
}

type Outcome = { readonly value: unknown } | { readonly error: string } | { readonly waits: true };

function toDone({ world: { mask } }: Talk, { id, name }: ToolUse, outcome: Outcome): Done {
  if ('waits' in outcome) return { id, name, text: '', is_error: false, waits: true };
  const is_error = 'error' in outcome;
  const text = markedData(name, mask(is_error ? { error: outcome.error } : outcome.value));
  return { id, name, text, is_error, waits: false };
}

async function runTool(talk: Talk, tool: Tool | undefined, use: ToolUse): Promise<Outcome> {
  const { world } = talk;
  if (!tool) {
    const names = talk.tools.map(({ definition }) => definition.name).join(', ');
    return { error: `There is no tool "${use.name.slice(0, 100)}". Tools: ${names}` };
  }
  const read = parseArguments(tool, use.arguments);
  if (read.problem !== undefined) return { error: `The arguments cannot be used: ${read.problem}` };
  return attempt(world, async () => {
    if (tool.propose) {
      const { summary } = await tool.propose(world, read.input);
      const change = { tool: tool.definition.name, input: read.input, summary };
      world.emit(await askToConfirm(world.ctx, change));
      return { waits: true };
    }
    world.emit({ type: 'step', label: tool.label, tool: tool.definition.name });
    return { value: await tool.use(world, read.input, '') };
  });
}

/** The answer that the model receives for a refused use; the end of the turn and bugs are not reported to it. */
export async function attempt<T>(
  { signal }: Pick<ToolWorld, 'signal'>,
  use: () => Promise<T>,
): Promise<T | { readonly error: string }> {
  try {
    return await use();
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof AppError) return { error: describeRefusal(error) };
    if (error instanceof NodeFailure) return { error: error.failure.message };
    throw error;
  }
}

/** Wrong fields of a refusal say more than its heading. */
function describeRefusal({ message, detail }: AppError): string {
  if (!Array.isArray(detail)) return message;
  return `${message}: ${detail.map(({ loc, msg }) => `${loc.slice(1).join('.')} ${msg}`).join('; ')}`;
}

const MAX_ARGUMENTS = 500_000;

type Read =
  | { readonly input: JsonObject; readonly problem?: undefined }
  | { readonly input?: undefined; readonly problem: string };

/** The arguments that a model wrote, with the usual mistakes of models in JSON repaired, checked against the schema. */
export function parseArguments(tool: Tool, written: string): Read {
  if (written.length > MAX_ARGUMENTS) return { problem: `more than ${MAX_ARGUMENTS} characters` };
  const read = readJsonAnswer(written.trim() === '' ? '{}' : written, true);
  if (read.problem !== undefined) return { problem: read.problem };
  return checkedArguments(tool, read.value);
}

export function checkedArguments(tool: Tool, value: unknown): Read {
  const parsed = tool.parse(value);
  if (parsed.success) return { input: parsed.data };
  const [issue] = parsed.error.issues;
  const where = issue && issue.path.length > 0 ? `"${issue.path.map(String).join('.')}" ` : '';
  return { problem: `${where}${issue?.message ?? 'they are not valid'}` };
}
