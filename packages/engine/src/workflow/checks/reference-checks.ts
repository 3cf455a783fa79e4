import { nearest } from '../../nearest.ts';
import { GIVEN } from '../compile/agent-tools.ts';
import type { CompiledNode, CompiledWorkflow, FieldReference, Problem } from '../compiled.ts';
import { warning } from './finding.ts';

/** Names that mean the same in every node, so that no label is needed. */
const ALWAYS = new Set([
  'input',
  'vars',
  'global',
  'credentials',
  'now',
  'UUID',
  'workflowName',
  'workflowDescription',
  'workflowPath',
  'workflowUrl',
  'executionId',
  'page',
  'error',
  'item',
  GIVEN,
]);

/** Expressions that refer to nodes which do not exist, or which have not run when they are evaluated. */
export function referenceProblems(workflow: CompiledWorkflow): Problem[] {
  const problems: Problem[] = [];
  for (const node of workflow.nodes) {
    if (!node.active) continue;
    for (const reference of node.params.references) {
      const problem = ALWAYS.has(reference.name) ? null : check(workflow, node, reference);
      if (problem) problems.push(problem);
    }
    for (const { field, value } of node.params.labels) {
      if (workflow.withLabel(value).length > 0) continue;
      const message = `No node is called "${value}". ${suggestion(workflow, value, '')}`;
      problems.push(warning(node, 'unknown_label', message, { field }));
    }
  }
  return problems;
}

function check(
  workflow: CompiledWorkflow,
  node: CompiledNode,
  { name, field }: FieldReference,
): Problem | null {
  if (workflow.withLabel(name).length > 0) {
    if (workflow.upstream(node.index, name).length > 0) return null;
    const message = `$${name} is always empty here, because "${name}" does not run before "${node.label}". Connect it upstream, or refer to a node that is.`;
    return warning(node, 'not_upstream', message, { field });
  }
  const inputs = workflow.incoming[node.index] ?? [];
  const similar = nearest(name, labelsBefore(workflow, node));
  // A name may also be a key of a direct input, which is unknown before the run.
  if (inputs.length > 0 && similar === null) return null;
  const message = `No node is called "${name}". ${suggestion(workflow, name, '$')}`;
  return warning(node, 'unknown_label', message, { field });
}

function labelsBefore(workflow: CompiledWorkflow, node: CompiledNode): string[] {
  return workflow.nodes.filter(({ index }) => index !== node.index).map(({ label }) => label);
}

/** @param sign what is before a label in the field: `$` in an expression, nothing where a label is chosen */
function suggestion({ nodes }: CompiledWorkflow, name: string, sign: '$' | ''): string {
  const similar = nearest(
    name,
    nodes.map(({ label }) => label),
  );
  if (similar !== null) return `Did you mean ${sign}${similar}?`;
  return `Choose the label of a node ${sign === '$' ? 'upstream' : 'of this workflow'}.`;
}
