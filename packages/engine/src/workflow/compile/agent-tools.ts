import type { WorkflowDocument } from '../schema.ts';
import type { DraftEdge } from './cycles.ts';
import { isAgentEdge } from './handles.ts';
import type { NodeDraft } from './node.ts';

/**
 * Nodes that only an agent calls: its tools, and the agents that an orchestrator names in `subAgentLabels`. They are
 * no start nodes, although nothing leads to them. A node that also has an ordinary edge takes part in the flow.
 */
export function agentOnlyNodes(
  document: WorkflowDocument,
  nodes: readonly NodeDraft[],
  candidates: readonly DraftEdge[],
): ReadonlySet<number> {
  const tools = new Set(document.edges.filter(isAgentEdge).map(({ source }) => source));
  const orchestrators = nodes.filter(({ data }) => data['isOrchestrator'] === true);
  const isSubAgent = ({ index, label, type }: NodeDraft): boolean =>
    orchestrators.some((orchestrator) => {
      const named = orchestrator.data['subAgentLabels'];
      return (
        orchestrator.index !== index &&
        orchestrator.type === type &&
        Array.isArray(named) &&
        named.includes(label)
      );
    });
  if (tools.size === 0 && orchestrators.length === 0) return new Set();
  const inFlow = new Set(candidates.flatMap(({ source, target }) => [source, target]));
  return new Set(
    nodes
      .filter((node) => !inFlow.has(node.index) && (tools.has(node.id) || isSubAgent(node)))
      .map(({ index }) => index),
  );
}
