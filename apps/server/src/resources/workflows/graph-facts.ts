import type { WorkflowProblem, WorkflowWithInputs } from '@millrace/contracts';
import { problems, summarize, type WorkflowDocument } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import type { Schedule } from '../../database/schema/index.ts';
import type { Graph } from './record.ts';

/** Plain data that passed `cleanJson`; the engine names the same shape. */
const documentOf = (graph: Graph) => graph as WorkflowDocument;

/** What is kept beside the graph so that lists, the scheduler and the daily deletion job need not read it. */
export interface GraphFacts {
  first_node_type: string | null;
  triggers_inactive: boolean;
  schedules: Schedule[];
}

/** The expression of a node; the one that it starts with when none is stored. */
function cronOf(data: Readonly<Record<string, unknown>> | undefined): string {
  const known = [data?.['cronExpression'], catalog.get('cron')?.initial['cronExpression']];
  return known.find((text) => typeof text === 'string') ?? '';
}

export function graphFacts(graph: Graph): GraphFacts {
  const { first_node_type, all_starts_inactive, triggers } = summarize(documentOf(graph), catalog);
  const firing = new Set(
    triggers.flatMap(({ node_id, node_type, active }) => (node_type === 'cron' && active ? [node_id] : [])),
  );
  const schedules = graph.nodes
    .filter(({ id }) => firing.has(id))
    .map(({ id, data }) => ({ node_id: id, cron: cronOf(data) }));
  // An empty workflow has no start node that is still on, so nothing holds its deletion up (§3.3).
  return { first_node_type, triggers_inactive: all_starts_inactive || graph.nodes.length === 0, schedules };
}

/** What a person may save but should not leave; the editor marks it. */
export function graphProblems(graph: Graph): WorkflowProblem[] {
  return problems(documentOf(graph), catalog);
}

/** What a caller of the workflow is asked for, and what it answers with. */
export function graphInterface(graph: Graph): Pick<WorkflowWithInputs, 'input_fields' | 'output_node'> {
  const { input_fields, output_node } = summarize(documentOf(graph), catalog);
  return { input_fields, output_node };
}
