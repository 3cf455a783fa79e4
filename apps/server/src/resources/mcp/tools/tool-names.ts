import type { Db } from '../../../database/database.ts';
import {
  holdServer,
  insertToolNames,
  namesOfTools,
  type ToolRow,
  type Toolset,
  takenNames,
} from '../queries.ts';
import { freeName, uniqueNames } from './names.ts';
import { RESULT_TOOL } from './tool-result.ts';

/** Bounds one statement. */
const NAMES_AT_ONCE = 1000;

async function storeNames(tx: Db, toolset: Toolset, tools: readonly ToolRow[]): Promise<void> {
  const { user_id, server_id } = toolset;
  if (server_id !== null && !(await holdServer(tx, { user_id, id: server_id }))) return;
  const taken = await takenNames(tx, toolset);
  await insertToolNames(
    tx,
    toolset,
    uniqueNames(tools, { isTaken: (name) => name === RESULT_TOOL || taken.has(name) }),
  );
}

/**
 * The tools of a server by name. A workflow gets its name when it is first listed, the oldest workflow first, and keeps it
 * when it is renamed (§2.1).
 */
export async function toolsByName(db: Db, toolset: Toolset): Promise<Map<string, ToolRow>> {
  for (;;) {
    const tools = await namesOfTools(db, toolset);
    const unnamed = tools.filter(({ tool_name }) => tool_name === null).slice(0, NAMES_AT_ONCE);
    if (unnamed.length === 0)
      return new Map(tools.flatMap((tool) => (tool.tool_name === null ? [] : [[tool.tool_name, tool]])));
    // Another process may take a name or name a workflow at the same time, so what is stored is read again.
    await db.transaction((tx) => storeNames(tx, toolset, unnamed));
  }
}

/**
 * Name that the tool would get by the present name of its workflow.
 *
 * @param taken names of the server with the ids of their workflows
 */
export const presentName = (
  taken: ReadonlyMap<string, string>,
  { id, name }: { readonly id: string; readonly name: string },
): string => freeName(name, { isTaken: (text) => text === RESULT_TOOL || (taken.get(text) ?? id) !== id });
