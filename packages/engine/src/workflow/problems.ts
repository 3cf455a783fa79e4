import type { Catalog } from '../node-type/define-node.ts';
import { finding } from './checks/finding.ts';
import { graphProblems } from './checks/graph-checks.ts';
import { labelProblems } from './checks/label-checks.ts';
import { referenceProblems } from './checks/reference-checks.ts';
import { isUnknownTrigger, passesInputsOn, unknownTypeProblem } from './compile/unknown-type.ts';
import { compileWorkflow } from './compile.ts';
import type { CompiledWorkflow, Problem } from './compiled.ts';
import type { WorkflowDocument } from './schema.ts';

/** All problems of a document, node by node. A document with problems can still be stored. */
export function problems(document: WorkflowDocument, catalog: Catalog): Problem[] {
  return findCompiledProblems(compileWorkflow(document, catalog));
}

/** The same for a workflow that is compiled already. */
export function findCompiledProblems(workflow: CompiledWorkflow): Problem[] {
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
    const severity = passesInputsOn(node) || isUnknownTrigger(node) || !node.active ? 'warning' : 'error';
    return [finding(node, 'unknown_type', unknownTypeProblem(node), { field: 'type', severity })];
  }
  // A node that does not run may be unfinished.
  if (!node.active) return [];
  return node.params.problems.map(({ code, message, field, severity }) =>
    finding(node, code, message, { field, severity }),
  );
}
