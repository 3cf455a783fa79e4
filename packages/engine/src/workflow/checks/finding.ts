import type { CompiledNode, Problem } from '../compiled.ts';

type Detail = Partial<Pick<Problem, 'field' | 'edge_id' | 'severity'>>;

/** A problem of a node, or of the whole document when there is none. Warnings say so; everything else is an error. */
export function finding(
  node: CompiledNode | undefined,
  code: string,
  message: string,
  detail: Detail = {},
): Problem {
  const { field = null, edge_id, severity = 'error' } = detail;
  const problem: Problem = { node_id: node?.id ?? null, field, code, message, severity };
  if (edge_id !== undefined) problem.edge_id = edge_id;
  return problem;
}

export function warning(
  node: CompiledNode | undefined,
  code: string,
  message: string,
  detail: Omit<Detail, 'severity'> = {},
): Problem {
  return finding(node, code, message, { ...detail, severity: 'warning' });
}
