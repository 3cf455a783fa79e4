import type { Catalog } from '../node-type/define-node.ts';
import { finding, warning } from './checks/finding.ts';
import { graphProblems } from './checks/graph-checks.ts';
import { labelProblems } from './checks/label-checks.ts';
import { referenceProblems } from './checks/reference-checks.ts';
import type { CompiledWorkflow, Problem } from './compiled.ts';
import { compileWorkflow } from './graph.ts';
import type { WorkflowDocument } from './schema.ts';

/** Everything that is wrong with a document, node by node. A document with problems can still be stored. */
export function problems(document: WorkflowDocument, catalog: Catalog): Problem[] {
  return problemsOf(compileWorkflow(document, catalog));
}

/** The same for a workflow that is compiled already. */
export function problemsOf(workflow: CompiledWorkflow): Problem[] {
  const found = [
    ...graphProblems(workflow),
    ...workflow.nodes.flatMap(nodeProblems),
    ...labelProblems(workflow),
    ...referenceProblems(workflow),
  ];
  const place = (problem: Problem): number =>
    problem.node_id === null ? -1 : workflow.indexOf(problem.node_id);
  return found.sort((one, two) => place(one) - place(two));
}

function nodeProblems(node: CompiledWorkflow['nodes'][number]): Problem[] {
  if (!node.known) {
    const message = `The node type "${node.type}" is not known here. The node hands its inputs on; replace it with one that does the work.`;
    return [warning(node, 'unknown_type', message, { field: 'type' })];
  }
  // A node that does not run may be unfinished.
  if (!node.active) return [];
  return node.params.problems.map(({ code, message, field, severity }) =>
    finding(node, code, message, { field, severity }),
  );
}
