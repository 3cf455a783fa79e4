import { compileWorkflow, type GraphNode, type JsonObject, type WorkflowDocument } from '@millrace/engine';
import { computeCost, findPrice, type ModelPrice } from '@millrace/models';
import { catalog } from '@millrace/nodes/catalog';

/** The most that the nodes of a graph may cost. */
export interface NodeLimits {
  /** US dollars; null when a node has neither a limit nor a price that says what it costs. */
  readonly up_to_usd: number | null;
  readonly unlimited_nodes: string[];
  readonly unpriced_nodes: string[];
}

/** Fewer than in most languages, so that texts are rather taken for longer. */
const CHARACTERS_PER_TOKEN = 3;
/** Tokens assumed for the inputs of a node: they are not known before the run. */
const INPUT_TOKENS = 1_000;
/** As in the definition of the agent. */
const AGENT_ROUNDS = 30;

/** Coding agents ask their model as often as they like. */
const CODING_NODES = ['codex', 'opencodeGo'];
const MODEL_NODES = ['llm', 'agent', ...CODING_NODES];

const amountIn = (data: JsonObject, field: string): number | undefined => {
  const value = data[field] === '' || data[field] === null ? Number.NaN : Number(data[field]);
  return Number.isFinite(value) && value > 0 ? value : undefined;
};
const textIn = (data: JsonObject, field: string): string => {
  const value = data[field];
  return typeof value === 'string' ? value.trim() : '';
};

/** Id of the credential of a node that asks a model; empty for none. */
export const modelCredentialId = ({ data }: GraphNode): string => textIn(data, 'credentialId');

/** US dollars; undefined without a budget, and for one that only the run knows. */
export const readCostBudget = ({ data }: GraphNode): number | undefined => amountIn(data, 'maxCostUsd');

const activeNodes = (graph: WorkflowDocument): readonly GraphNode[] =>
  compileWorkflow(graph, catalog).nodes.filter(({ active }) => active);

/** Active nodes that ask a model. */
export const modelNodes = (graph: WorkflowDocument): readonly GraphNode[] =>
  activeNodes(graph).filter(({ definition }) => MODEL_NODES.includes(definition.type));

/** Active nodes that start workflows, or let a model start them. */
export const startingNodes = (graph: WorkflowDocument): readonly GraphNode[] =>
  activeNodes(graph).filter(({ definition, data: { subWorkflowIds } }) =>
    definition.type === 'agent'
      ? Array.isArray(subWorkflowIds) && subWorkflowIds.length > 0
      : definition.type === 'execute',
  );

/**
 * From the prices of models and the limits of the nodes that ask them. Each call is taken to succeed at its first try. Nodes in loops,
 * batches and agents that ask others have no limit but their cost budget, for it is not known how often they ask.
 *
 * @param nodes those that ask a model
 * @param findProvider provider of a credential; undefined when it is not known
 */
export function limitsOfNodes(
  nodes: readonly GraphNode[],
  {
    findProvider,
    prices,
  }: {
    readonly findProvider: (credential_id: string) => string | undefined;
    readonly prices: Readonly<Record<string, ModelPrice>>;
  },
): NodeLimits {
  let sum = 0;
  const unlimited_nodes: string[] = [];
  const unpriced_nodes: string[] = [];
  for (const node of nodes) {
    if (CODING_NODES.includes(node.definition.type)) {
      // Codex says what it has used when a round is over, which may have cost any amount.
      const usd = node.definition.type === 'codex' ? undefined : readCostBudget(node);
      if (usd === undefined) unlimited_nodes.push(node.label);
      else sum += usd;
      continue;
    }
    const model = {
      provider: findProvider(modelCredentialId(node)),
      model: textIn(node.data, 'model'),
    };
    const price = findPrice(model, prices);
    const usd = price && computeMaxCost(node, { ...model, price, prices });
    if (!price) unpriced_nodes.push(node.label);
    else if (usd === undefined) unlimited_nodes.push(node.label);
    else sum += usd;
  }
  const isKnown = unlimited_nodes.length === 0 && unpriced_nodes.length < nodes.length;
  return { up_to_usd: isKnown ? sum : null, unlimited_nodes, unpriced_nodes };
}

interface PricedModel {
  readonly provider: string | undefined;
  readonly model: string;
  readonly price: ModelPrice;
  readonly prices: Readonly<Record<string, ModelPrice>>;
}

/** US dollars that the node may cost at most; undefined when nothing limits them. */
function computeMaxCost({ data, definition, loop }: GraphNode, model: PricedModel): number | undefined {
  const limits = [amountIn(data, 'maxCostUsd')];
  const isRepeated = loop >= 0 || data['batchModeEnabled'] === true || data['isOrchestrator'] === true;
  if (!isRepeated) {
    limits.push(costOfCalls(data, { ...model, rounds: definition.type === 'agent' ? countRounds(data) : 1 }));
    const tokens = definition.type === 'agent' ? amountIn(data, 'maxTotalTokens') : undefined;
    const { input, output, cache_write = 0 } = model.price;
    const dearest = Math.max(input, output, cache_write);
    if (tokens !== undefined) limits.push((tokens * dearest) / 1_000_000);
  }
  const known = limits.filter((limit) => limit !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** Answers with tools, and the last one without. */
const countRounds = (data: JsonObject): number => (amountIn(data, 'maxToolIterations') ?? AGENT_ROUNDS) + 1;

/** Each round has the answers of those before it in its prompt; results of tools are not known and not counted. */
function costOfCalls(
  data: JsonObject,
  { rounds, prices, ...model }: PricedModel & { readonly rounds: number },
): number | undefined {
  const answer_tokens = amountIn(data, 'maxTokens');
  if (answer_tokens === undefined) return undefined;
  const written = textIn(data, 'systemInstruction').length + textIn(data, 'userMessage').length;
  const first_tokens = Math.ceil(written / CHARACTERS_PER_TOKEN) + INPUT_TOKENS;
  const prompt_tokens = first_tokens + (answer_tokens * (rounds - 1)) / 2;
  const usage = {
    prompt_tokens,
    completion_tokens: answer_tokens,
    total_tokens: prompt_tokens + answer_tokens,
    // How much of it a cache already has is not known; at worst nothing.
    cache_write_tokens: prompt_tokens,
  };
  return rounds * (computeCost({ ...model, usage }, prices) ?? 0);
}
