import { isJsonObject, type Json, type JsonObject, NodeFailure, type NodeResult } from '@millrace/engine';
import { implement } from '../implement.ts';
import { modelChoices } from '../kit/models/choices.ts';
import { guardMessage } from '../kit/models/guardrails.ts';
import { type Repairing, readJsonAnswer } from '../kit/models/json-answer.ts';
import { type Prepared, prepare, requireConsistent } from '../kit/models/request.ts';
import { routingFacts } from '../kit/models/route.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { beginWithContentOfRun, OutsideContent } from '../kit/runs/outside-content.ts';
import { DATA_RULE } from '../kit/text/marked-data.ts';
import type { AgentMemory } from '../services.ts';
import { Conversation, type Ended } from './conversation/converse.ts';
import { TokenCount } from './conversation/token-count.ts';
import { agent } from './definition.ts';
import { resolveSkills, type Skill } from './library-skills.ts';
import { type Learned, learn, rememberingAgent } from './memory/learn.ts';
import { memoryBlock, recalled } from './memory/recall.ts';
import { withApprovals } from './tools/approvals.ts';
import { mcpTools } from './tools/mcp-tools.ts';
import { nodeTools } from './tools/node-tools.ts';
import { pythonTools } from './tools/python-tools.ts';
import { Reviews, reviewTools } from './tools/reviews.ts';
import { skillTools } from './tools/skill-tools.ts';
import { subAgentTools } from './tools/sub-agents.ts';
import { subWorkflowTools } from './tools/sub-workflows.ts';
import type { AgentCall, Tool } from './tools/tool.ts';
import { fetchTools } from './tools/web/fetch-page.ts';
import { searchTools } from './tools/web/search-web.ts';

export const runAgent = implement(
  agent,
  async (call) => {
    const tokens = new TokenCount();
    try {
      return withUsage(await work(call, tokens), tokens);
    } catch (error) {
      throw withSpent(error, tokens);
    }
  },
  { choices: modelChoices },
);

interface Worked {
  readonly result: NodeResult;
  /** The output is what the model has answered as JSON. */
  readonly is_json: boolean;
}

async function work(call: AgentCall, tokens: TokenCount): Promise<Worked> {
  requireConsistent(call.params);
  requireFitting(call);
  const { hitlEnabled, reviewAfterOutsideContent } = call.params;
  if (hitlEnabled && reviewAfterOutsideContent) await beginWithContentOfRun(call);
  const skills = await resolveSkills(call);
  const asked = await prepare(call);
  if (!isAskedByAgent(call)) await guardMessage(call, asked);
  const question = questionIn(asked);
  const memories = await recall(call, question);
  const reviews = new Reviews(call);
  const ofNodes = nodeTools(call);
  const ofPython = pythonTools(call);
  const ofSkills = skillTools(call, { skills, reviews });
  const { tools: ofServers, list_ms, is_complete } = await mcpTools(call);
  const offered = [
    ...ofNodes,
    ...ofServers,
    ...ofPython,
    ...ofSkills,
    ...fetchTools(call),
    ...(await searchTools(call)),
    ...subAgentTools(call),
    ...(await subWorkflowTools(call)),
    ...reviewTools(call, reviews),
  ];
  const tools = withApprovals(call, offered, { is_complete });
  const prepared = withDataRule(
    withMemory(withInstructions(call, { skills, prepared: asked }), memories),
    tools,
  );
  const ended = await new Conversation(call, { prepared, tools, reviews, tokens }).run();
  const result = await buildResult(call, { skills, ended, reviews, list_ms, tokens });
  const learned = await learn(call, { memories, question, ended, tokens });
  return { result: withOrigin(call, withLearned(result, learned)), is_json: isJsonAnswer(call, ended) };
}

const isJsonAnswer = ({ params }: AgentCall, { turn }: Ended): boolean =>
  params.jsonOutputEnabled && turn !== undefined;

/** Only now is everything counted. An answer as JSON is all the model's, so that its usage is in the metadata. */
function withUsage({ result, is_json }: Worked, { usage }: TokenCount): NodeResult {
  if (!('output' in result)) return result;
  if (is_json) return { ...result, metadata: { ...result.metadata, usage } };
  return { ...result, output: { ...toObject(result.output), usage } };
}

/** A failed agent has spent tokens as well, and the one that asked it counts them. */
function withSpent(error: unknown, { usage, total }: TokenCount): unknown {
  if (!(error instanceof NodeFailure) || total === 0) return error;
  const { failure } = error;
  return new NodeFailure({ ...failure, details: { ...failure.details, usage } }, { cause: error });
}

/**
 * The agent's memories for the question, read in a step: a repeated agent finds the facts that it has used. Agents
 * without a memory have no such step; whether another agent shares one decides only that.
 */
async function recall(call: AgentCall, question: string): Promise<readonly AgentMemory[]> {
  const { node, services } = call;
  const agent = rememberingAgent(call);
  if (!agent.keeps_own && !(await services.memories.isShared(node.id))) return [];
  return call.step('memory', 'read', async () => recalled(await services.memories.read(agent), question));
}

/** The words of the user, which `prepare` puts last. */
function questionIn({ messages }: Prepared): string {
  const last = messages.at(-1);
  return last?.role === 'user' ? last.text : '';
}

function withMemory(prepared: Prepared, memories: readonly AgentMemory[]): Prepared {
  const parts = [prepared.system, memoryBlock(memories)].filter((text) => text !== '');
  return { ...prepared, system: parts.join('\n\n') };
}

function withDataRule(prepared: Prepared, tools: readonly Tool[]): Prepared {
  const mayBeOutside = (tool: Tool) => tool.is_outside || tool.is_outside_at_times || tool.reports_outside;
  if (!tools.some(mayBeOutside)) return prepared;
  const parts = [prepared.system, DATA_RULE].filter((text) => text !== '');
  return { ...prepared, system: parts.join('\n\n') };
}

function withLearned(result: NodeResult, learned: Learned | undefined): NodeResult {
  if (!learned || 'suspension' in result) return result;
  return { ...result, metadata: { ...result.metadata, memory: learned } };
}

/** An agent that asked this one marks its answer as data when it may come from what this one has read. */
function withOrigin(call: AgentCall, result: NodeResult): NodeResult {
  if (!isAskedByAgent(call) || 'suspension' in result || !new OutsideContent(call).isRead) return result;
  return { ...result, metadata: { ...result.metadata, outside_content: true } };
}

/** The question of an agent above it was written by a model, whose own message was checked. */
const isAskedByAgent = ({ helpers }: AgentCall): boolean => helpers.chain.length > 1;

/** Checks the rules that the parameters cannot express by themselves. */
function requireFitting({ params }: AgentCall): void {
  if (params.outputType === 'image') {
    throw refusedParam('outputType', 'must be text; a Language Model node can answer with an image');
  }
  if (params.batchModeEnabled) {
    throw refusedParam('batchModeEnabled', 'must be off; an agent asks one question after another');
  }
  if (params.hitlEnabled && params.jsonOutputEnabled) {
    throw refusedParam(
      'hitlEnabled',
      'cannot be used together with an answer as JSON; switch one of them off',
    );
  }
}

/** Skills stand before the instruction of the node, what a person is asked for behind it. */
function withInstructions(
  { params }: AgentCall,
  { skills, prepared }: { readonly skills: readonly Skill[]; readonly prepared: Prepared },
): Prepared {
  const texts = skills.map(({ content }) => content.trim());
  const parts = [...texts, prepared.system].filter((text) => text !== '');
  const whenAsked = params.hitlSummary.trim();
  const review =
    params.hitlEnabled && whenAsked !== ''
      ? [`When to ask a person with request_human_review:\n${whenAsked}`]
      : [];
  return {
    ...prepared,
    system: [parts.join('\n\n---\n\n'), ...review].filter((text) => text !== '').join('\n\n'),
  };
}

interface Outcome {
  readonly skills: readonly Skill[];
  readonly ended: Ended;
  readonly reviews: Reviews;
  readonly list_ms: number;
  readonly tokens: TokenCount;
}

async function buildResult(call: AgentCall, outcome: Outcome): Promise<NodeResult> {
  const { ended, reviews, tokens } = outcome;
  const { turn, spent, limit } = ended;
  const facts: JsonObject = {
    model: turn?.answer.model ?? call.params.model,
    ...(spent.used_fallback ? { fallbackUsed: true } : {}),
  };
  const metadata = { ...routingFacts(spent.routes), ...(limit ? { limit_reached: limit } : {}) };
  const more = {
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(spent.variables.length === 0 ? {} : { variables: spent.variables }),
    ...(spent.disables.length === 0 ? {} : { disables: spent.disables }),
  };
  if (turn && isJsonAnswer(call, ended)) {
    const value = await readJsonAnswer(call, ended.request, { ...turn, repairing: repairing(call, tokens) });
    return { output: { ...toObject(value), ...facts }, ...more };
  }
  return { output: { ...buildOutput(call, outcome), ...facts, ...reviewFacts(ended, reviews) }, ...more };
}

const repairing = ({ params }: AgentCall, tokens: TokenCount): Repairing => ({
  refusal: () =>
    tokens.hasReached(params.maxTotalTokens)
      ? 'the limit of tokens is reached, so the model was not asked again'
      : undefined,
  onAnswer: ({ usage }) => tokens.add(usage),
});

const toObject = (value: Json): JsonObject => (isJsonObject(value) ? value : { value });

function buildOutput(
  { services, started_at_ms }: AgentCall,
  { skills, ended, list_ms }: Outcome,
): JsonObject {
  const { spent, text, limit } = ended;
  const { llm_ms, tools_ms, tool_calls, generated_files } = spent;
  return {
    text,
    elapsed_ms: services.now() - started_at_ms,
    tool_calls: [...tool_calls],
    timing_breakdown: { llm_ms, tools_ms, mcp_list_ms: list_ms },
    skills_used: skills.map(({ name }) => name),
    mcp_list_ms: list_ms,
    ...(limit ? { limit_reached: limit } : {}),
    ...(generated_files.length > 0 ? { _generated_files: [...generated_files] } : {}),
  };
}

/** The facts that the last review adds; the text stays the agent's own, and is empty after a refusal. */
function reviewFacts({ text }: Ended, reviews: Reviews): JsonObject {
  const facts = reviews.facts;
  return Object.keys(facts).length === 0 ? {} : { ...facts, text };
}
