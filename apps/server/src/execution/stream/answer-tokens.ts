import type { GraphNode, WorkflowGraph } from '@millrace/engine';
import type { Frame } from './frames.ts';

/** Whether a token belongs to the text that the run answers with. */
export type IsAnswerToken = (frame: Frame) => boolean;

/**
 * Tokens for readers that see the answer of a run but not the results of its nodes: only those of nodes whose text is the
 * answer as it is. Agents that they call are not among them, nor are texts that a person reviews first.
 */
export function answerTokens(graph: WorkflowGraph): IsAnswerToken {
  let ids: ReadonlySet<unknown> | undefined;
  return ({ data }) => {
    ids ??= new Set(graph.nodes.filter((node) => answers(graph, node)).map(({ id }) => id));
    const { node_id, step } = data;
    return ids.has(node_id) && typeof step === 'string' && !step.includes('/');
  };
}

function answers(graph: WorkflowGraph, node: GraphNode): boolean {
  const { jsonOutputEnabled, hitlEnabled } = node.data;
  if (node.flow !== 'main' || jsonOutputEnabled === true || hitlEnabled === true) return false;
  const edges = (graph.outgoing[node.index] ?? []).flatMap((edge) => graph.edges[edge] ?? []);
  const behind = edges.filter(({ port }) => port !== 'error');
  return behind.every(({ target }) => isPlainOutput(graph.nodes[target], node));
}

/** An Output node that hands the text on unchanged. */
function isPlainOutput(output: GraphNode | undefined, { label }: GraphNode): boolean {
  if (output?.definition.type !== 'output') return false;
  const { message, outputSchema } = output.data;
  const isPlain = !Array.isArray(outputSchema) || outputSchema.length === 0;
  return isPlain && typeof message === 'string' && ['$input.text', `$${label}.text`].includes(message.trim());
}
