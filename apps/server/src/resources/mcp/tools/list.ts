import type { McpTool } from '@millrace/contracts';
import type { Db } from '../../../database/database.ts';
import type { Graph } from '../../workflows/record.ts';
import { byIds, namesOfTools, type Toolset, workflowsWithGraphs } from '../queries.ts';
import { describeTool } from './describe.ts';
import { toolNames } from './names.ts';

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

export interface ToolPage {
  readonly tools: McpTool[];
  /** Where the next page begins; absent on the last one. */
  readonly next: string | undefined;
}

/** Tools of a server by name, those behind `after` first; without a limit all of them. */
export async function listTools(
  db: Db,
  toolset: Toolset,
  { after, limit }: { after?: string | undefined; limit?: number } = {},
): Promise<ToolPage> {
  const names = [...toolNames(await namesOfTools(db, toolset))].sort(byName);
  const behind = after === undefined ? names : names.filter(([name]) => name > after);
  const page = limit === undefined ? behind : behind.slice(0, limit);
  if (page.length === 0) return { tools: [], next: undefined };
  const rows = await workflowsWithGraphs(db, toolset, byIds(page.map(([, { id }]) => id)));
  const found = new Map(rows.map((row) => [row.id, row]));
  const tools = page.flatMap(([name, { id }]) => {
    const row = found.get(id);
    if (!row) return [];
    return [{ name, ...describeTool({ ...row, graph: { nodes: row.nodes, edges: row.edges } as Graph }) }];
  });
  return { tools, next: page.length < behind.length ? page.at(-1)?.[0] : undefined };
}

/** The workflow that the server offers under that name. */
export async function findTool(
  db: Db,
  toolset: Toolset,
  name: string,
): Promise<{ readonly id: string } | undefined> {
  return toolNames(await namesOfTools(db, toolset)).get(name);
}
