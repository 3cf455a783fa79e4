import { type CalledNode, isJsonObject, type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import type { Helper } from '../../helpers.ts';
import type { Tokens } from '../conversation/token-count.ts';
import { type AgentCall, failedResult, recordedEffects, type Tool, usedInSteps } from './tool.ts';

/** Agents above one another (and workflows that agents run). */
export const MAX_DEPTH = 5;

/** `call_sub_agent`: other agents of the workflow, each with its own model and tools. */
export function subAgentTools(call: AgentCall): Tool[] {
  const { isOrchestrator, subAgentLabels } = call.params;
  if (!isOrchestrator) return [];
  const agents = subAgentLabels.flatMap((label) => call.helpers.labelled(call.node.type, label) ?? []);
  if (agents.length === 0) return [];
  const labels = agents.map(({ label }) => label);
  return [
    {
      definition: {
        name: 'call_sub_agent',
        description: `Gives a task to another agent and returns its answer. Agents: ${agents.map(inWords).join('; ')}`,
        input_schema: {
          type: 'object',
          properties: {
            sub_agent_label: { type: 'string', enum: labels },
            prompt: { type: 'string', description: 'The whole task; the agent knows nothing else.' },
          },
          required: ['sub_agent_label', 'prompt'],
          additionalProperties: false,
        },
      },
      source: 'sub_agent',
      is_outside_at_times: true,
      is_parallel: true,
      use: (input, key) => usedInSteps(call, key, () => askAgent(call, agents, { input, key })),
    },
  ];
}

const inWords = ({ label, data }: Helper): string => {
  const instruction = data['systemInstruction'];
  const about = typeof instruction === 'string' ? instruction.replace(/\s+/g, ' ').trim().slice(0, 200) : '';
  return about === '' ? label : `${label} (${about})`;
};

async function askAgent(
  call: AgentCall,
  agents: readonly Helper[],
  { input, key }: { input: JsonObject; key: string },
) {
  const { chain } = call.helpers;
  const helper = agents.find(({ label }) => label === input['sub_agent_label']);
  if (!helper) throw refused(`There is no agent ${JSON.stringify(input['sub_agent_label'])}`);
  if (chain.includes(helper.label)) {
    throw refused(`The agents ask each other in a circle: ${[...chain, helper.label].join(' -> ')}`);
  }
  if (chain.length > MAX_DEPTH) throw refused(`Agents ask each other more than ${MAX_DEPTH} levels deep`);
  const output: JsonObject = { text: input['prompt'] ?? '' };
  const inputs = [{ label: call.node.label, output }];
  try {
    const result = await call.helpers.prepare(helper, { key, inputs, given: {} }).run();
    if ('failure' in result) throw new NodeFailure(result.failure);
    if (!('output' in result)) throw new Error('a called agent waits through its caller');
    const answer = result.output;
    const text = isJsonObject(answer) ? answer['text'] : undefined;
    const shown = typeof text === 'string' ? text : answer;
    const usage = usageIn(result.metadata) ?? usageIn(answer);
    return {
      result: shown,
      called: calledAs(helper, answer),
      ...recordedEffects(result),
      ...(usage ? { usage } : {}),
      ...(result.metadata?.['outside_content'] === true ? { outside_content: true } : {}),
    };
  } catch (error) {
    if (!(error instanceof NodeFailure) || call.signal.aborted) throw error;
    const result = failedResult(error);
    const usage = usageIn(error.failure.details);
    return {
      result,
      called: calledAs(helper, result, error.failure.message),
      // The message may repeat what the agent has read.
      outside_content: true,
      ...(usage ? { usage } : {}),
    };
  }
}

/** Where an agent says what it took: an answer as JSON has no place for that, and a failure has details. */
function usageIn(facts: Json | undefined): Tokens | undefined {
  const usage = isJsonObject(facts) ? facts['usage'] : undefined;
  if (!isJsonObject(usage)) return undefined;
  const { prompt_tokens, completion_tokens } = usage;
  if (typeof prompt_tokens !== 'number' || typeof completion_tokens !== 'number') return undefined;
  return { prompt_tokens, completion_tokens };
}

const calledAs = (
  { id, label, definition }: Helper,
  output: Json,
  error: string | null = null,
): CalledNode => ({
  node_id: id,
  node_label: label,
  node_type: definition.type,
  output,
  error,
  invocation: 'sub_agent_tool',
});

const refused = (message: string): NodeFailure => new NodeFailure({ kind: 'limit', message, final: true });
