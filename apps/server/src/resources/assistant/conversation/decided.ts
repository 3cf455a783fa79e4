import type { AssistantConfirmation } from '@millrace/contracts';
import type { JsonObject } from '@millrace/engine';
import { invalidField } from '../../../core/app-error.ts';
import type { Context, Services } from '../../../services.ts';
import { takeDecision } from '../confirmation.ts';
import type { Tool, ToolWorld } from '../tools/tool.ts';
import { attempt, checkedArguments } from './converse.ts';
import { markedData } from './data.ts';

interface Decided {
  readonly tool: Tool;
  readonly input: JsonObject;
  readonly is_accepted: boolean;
  readonly id: string;
}

/** Does what was confirmed, and returns the result for the model. */
async function carriedOut(world: ToolWorld, { tool, input, is_accepted, id }: Decided): Promise<string> {
  const { name } = tool.definition;
  if (!is_accepted)
    return `The user refused ${name}. It was not done. Acknowledge that in one short sentence.`;
  world.emit({ type: 'step', label: tool.label, tool: name });
  const result = await attempt(world, () => tool.use(world, input, id));
  return `The user confirmed ${name}. Result:\n${markedData(name, world.mask(result))}\nTell the user.`;
}

/**
 * Takes a person's decision about a change that was proposed before, before the stream opens, so that a refusal is an answer.
 *
 * @param tools the assistant's own
 * @returns what does it in the turn, with the result for the model; empty without a decision
 */
export async function takeConfirmation(
  ctx: Context,
  services: Services,
  { confirmation, tools }: { confirmation: AssistantConfirmation | null | undefined; tools: readonly Tool[] },
): Promise<(world: ToolWorld) => Promise<string>> {
  if (!confirmation) return () => Promise.resolve('');
  const tool = tools.find(
    ({ definition, propose }) => propose !== undefined && definition.name === confirmation.tool,
  );
  if (!tool) throw invalidField(['body', 'confirmation', 'tool'], 'is no tool that changes something');
  const id = await takeDecision(ctx, services, confirmation);
  const read = checkedArguments(tool, confirmation.arguments);
  if (read.problem !== undefined)
    throw invalidField(['body', 'confirmation', 'arguments'], `cannot be used: ${read.problem}`);
  const decided = { tool, input: read.input, is_accepted: confirmation.decision === 'accept', id };
  return (world) => carriedOut(world, decided);
}
