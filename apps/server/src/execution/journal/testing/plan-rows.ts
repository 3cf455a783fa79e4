interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** The answer of `EXPLAIN (ANALYZE, FORMAT JSON)`. */
export interface ExplainedPlan {
  readonly 'QUERY PLAN': readonly { readonly Plan: PlanNode }[];
}

function rowsReadBy(node: PlanNode): number {
  const own = node['Relation Name']
    ? (node['Actual Rows'] +
        (node['Rows Removed by Filter'] ?? 0) +
        (node['Rows Removed by Index Recheck'] ?? 0)) *
      node['Actual Loops']
    : 0;
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsReadBy(child), own);
}

/** Rows of tables that the plan has looked at, also those that it then left out. */
export function rowsRead(answer: readonly ExplainedPlan[]): number {
  const [explained] = answer[0]?.['QUERY PLAN'] ?? [];
  if (!explained) throw new Error('there is no plan');
  return rowsReadBy(explained.Plan);
}
