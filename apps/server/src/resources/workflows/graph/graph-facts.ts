import type { WorkflowProblem } from '@millrace/contracts';
import { problems, summarize, type WorkflowDocument, type WorkflowSummary } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import type { Graph } from '../record.ts';

/** Plain data that passed `cleanJson`; the engine names the same shape. */
const toDocument = (graph: Graph) => graph as WorkflowDocument;

/** Facts that are kept beside the graph so that lists and the daily deletion job need not read it. */
export interface GraphFacts {
  first_node_type: string | null;
  triggers_inactive: boolean;
}

export function graphFacts(graph: Graph): GraphFacts {
  const { first_node_type, all_starts_inactive } = summarize(toDocument(graph), catalog);
  // An empty workflow has no start node that is still on, so nothing holds its deletion up (§3.3).
  return { first_node_type, triggers_inactive: all_starts_inactive || graph.nodes.length === 0 };
}

/** Problems that a person may save but should not leave; the editor marks them. */
export function graphProblems(graph: Graph): WorkflowProblem[] {
  return problems(toDocument(graph), catalog);
}

/** The input that a caller of the workflow is asked for, and what it answers with. */
export function graphInterface(graph: Graph): Pick<WorkflowSummary, 'input_fields' | 'output_node'> {
  const { input_fields, output_node } = summarize(toDocument(graph), catalog);
  return { input_fields, output_node };
}
