import type { CostEstimate } from '@millrace/contracts';
import { findModelProvider } from '@millrace/nodes/runtime';
import type { Needs } from '../../services.ts';
import { usableCredentialTypes } from '../credentials/service.ts';
import { requireWorkflow } from '../workflows/access.ts';
import { presentGraph } from '../workflows/service.ts';
import { costsOfRuns } from './cost-queries.ts';
import { limitsOfNodes, modelCredentialId, modelNodes, startingNodes } from './node-limits.ts';

/** Estimates the most that a run of the workflow will probably cost. A budget of its runs is an upper bound of that. */
export async function readCostEstimate(
  ctx: Needs<'db' | 'sql' | 'actor' | 'config'>,
  id: string,
): Promise<CostEstimate> {
  const visible = await requireWorkflow(ctx, id, 'read');
  const graph = await presentGraph(ctx.db, visible);
  const nodes = modelNodes(graph);
  const types = await usableCredentialTypes(ctx, nodes.map(modelCredentialId));
  const limits = limitsOfNodes(nodes, {
    prices: ctx.config.MODEL_PRICES,
    findProvider: (credential_id) => {
      const type = types.get(credential_id);
      return type === undefined ? undefined : findModelProvider(type);
    },
  });
  const { runs, median_usd, p95_usd } = await costsOfRuns(ctx.sql, id);
  const { run_budget_usd } = visible.row;
  const bounded = (usd: number | null) =>
    usd === null ? null : Math.min(usd, run_budget_usd ?? Number.POSITIVE_INFINITY);
  const { unlimited_nodes, unpriced_nodes } = limits;
  // Where the nodes have no limits, the budget of the run still is one.
  const up_to_usd = bounded(
    runs > 0 ? p95_usd : (limits.up_to_usd ?? (unlimited_nodes.length > 0 ? run_budget_usd : null)),
  );
  // The budget of a run counts the workflows that it starts.
  const isBudget = up_to_usd !== null && up_to_usd === run_budget_usd;
  return {
    basis: runs > 0 ? 'runs' : up_to_usd === null ? 'none' : 'limits',
    up_to_usd,
    median_usd: runs > 0 ? bounded(median_usd) : null,
    runs,
    unlimited_nodes,
    unpriced_nodes,
    starting_nodes: isBudget ? [] : startingNodes(graph).map(({ label }) => label),
  };
}
