import type { McpTool } from '@millrace/contracts';
import type { Db } from '../../../database/database.ts';
import type { Graph } from '../../workflows/record.ts';
import { type Page, type PageRange, pageByName } from '../page.ts';
import { byIds, byToolName, namesOfTools, type Toolset, workflowsWithGraphs } from '../queries.ts';
import { describeTool } from './describe.ts';
import { hasWaitingTools, RESULT_TOOL_ENTRY } from './read-run.ts';
import { toolsByName } from './tool-names.ts';
import { RESULT_TOOL } from './tool-result.ts';

/** Tools of a server by name. The tool that reads results of open runs comes last, if another tool needs it. */
export async function listTools(db: Db, toolset: Toolset, range: PageRange = {}): Promise<Page<McpTool>> {
  const { items: page, next } = pageByName(await toolsByName(db, toolset), range);
  if (page.length === 0) return { items: [], next };
  const rows = await workflowsWithGraphs(db, toolset, byIds(page.map(([, { id }]) => id)));
  const found = new Map(rows.map((row) => [row.id, row]));
  const items = page.flatMap(([name, { id }]) => {
    const row = found.get(id);
    if (!row) return [];
    return [{ name, ...describeTool({ ...row, graph: { nodes: row.nodes, edges: row.edges } as Graph }) }];
  });
  const isLast = next === undefined;
  const isOffered = isLast && !items.some(({ name }) => name === RESULT_TOOL);
  if (isOffered && (await hasWaitingTools(db, toolset))) items.push(RESULT_TOOL_ENTRY);
  return { items, next };
}

/** The workflow that the server offers under that name, which it has once it was listed. */
export async function findTool(
  db: Db,
  toolset: Toolset,
  name: string,
): Promise<{ readonly id: string } | undefined> {
  const [stored] = await namesOfTools(db, toolset, byToolName(name));
  return stored ?? (await toolsByName(db, toolset)).get(name);
}
