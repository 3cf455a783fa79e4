import { type Json, readText } from '@millrace/engine';
import type { PlatformReads, PlatformWorkflow } from '@millrace/nodes/runtime';
import { eq } from 'drizzle-orm';
import { isUuid } from '../core/ids.ts';
import type { Database } from '../database/database.ts';
import { workflows } from '../database/schema/index.ts';
import { countByStatus } from '../execution/store/history/count.ts';
import { canSeeWorkflow } from './workflows/access.ts';
import { graphInterface } from './workflows/graph/graph-facts.ts';
import type { Graph } from './workflows/record.ts';
import { graphsOfListed } from './workflows/service.ts';
import {
  countVisible,
  type ListedRow,
  listedSummary,
  listMatching,
  listVisible,
} from './workflows/summaries.ts';

const NO_GRAPH: Graph = { nodes: [], edges: [] };

/** Reads that nodes of a run can make of the service: just what the person it is attributed to can see. */
export function platformReads({ db, sql }: Pick<Database, 'db' | 'sql'>, user_id: string): PlatformReads {
  const shown = (row: ListedRow) => {
    const { id, name, description, active, folder_id, updated_at } = listedSummary(row, user_id);
    return { id, name, description, active, folder_id, updated_at };
  };
  return {
    async listWorkflows(limit) {
      const [rows, total] = await Promise.all([
        listVisible(db, user_id, { sort: 'updated_at', limit, offset: 0 }),
        countVisible(db, user_id),
      ]);
      const graphs = await graphsOfListed(db, rows);
      const listed = rows.map(
        (row): PlatformWorkflow => ({
          ...shown(row),
          node_count: graphs.get(row.id)?.nodes.length ?? 0,
        }),
      );
      return { workflows: listed, total };
    },
    async workflow(id) {
      const [row] = isUuid(id) ? await listMatching(db, user_id, eq(workflows.id, id)) : [];
      if (!row) return undefined;
      const graph = (await graphsOfListed(db, [row])).get(row.id) ?? NO_GRAPH;
      const { folder_id: _folder, ...workflow } = shown(row);
      return { ...workflow, ...outlineGraph(graph) };
    },
    async countRuns({ workflow_id, ...counted }) {
      const isSeen = isUuid(workflow_id) && (await canSeeWorkflow(db, user_id, workflow_id));
      return isSeen ? countByStatus(sql, workflow_id, counted) : undefined;
    },
  };
}

function outlineGraph(graph: Graph) {
  return {
    nodes: graph.nodes.map(({ id, type, data }) => {
      const label = data?.['label'];
      return { id, type, label: readText(label) };
    }),
    edges: graph.edges.map(({ id, source, target }) => ({ id, source, target })),
    // Guarantee: the contract describes it as JSON.
    input_fields: graphInterface(graph).input_fields as unknown as Json,
  };
}
