import type { Folder, FolderTree, WorkflowSummary } from '@millrace/contracts';
import type { FolderRow } from './queries.ts';

export function folderRecord(row: FolderRow): Folder {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    parent_id: row.parent_id,
    owner_id: row.owner_id,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** Rows by the id of their folder; the order of the rows stays. */
export function byFolder(workflows: readonly WorkflowSummary[]): Map<string, WorkflowSummary[]> {
  const grouped = new Map<string, WorkflowSummary[]>();
  for (const workflow of workflows) {
    if (workflow.folder_id === null) continue;
    const list = grouped.get(workflow.folder_id);
    if (list) list.push(workflow);
    else grouped.set(workflow.folder_id, [workflow]);
  }
  return grouped;
}

/** The tree that rows form; `rows` are in the order in which children appear. */
export function buildTree(rows: readonly FolderRow[], workflows: readonly WorkflowSummary[]): FolderTree[] {
  const contents = byFolder(workflows);
  const trees = new Map<string, FolderTree>(
    rows.map((row) => [
      row.id,
      { ...folderRecord(row), children: [], workflows: contents.get(row.id) ?? [] },
    ]),
  );
  const roots: FolderTree[] = [];
  for (const tree of trees.values()) {
    const parent = tree.parent_id === null ? undefined : trees.get(tree.parent_id);
    (parent ? parent.children : roots).push(tree);
  }
  return roots;
}

/** The folder and everything below it, parents before children. */
export function subtree(rows: readonly FolderRow[], id: string): FolderRow[] {
  const children = new Map<string, FolderRow[]>();
  for (const row of rows) {
    const list = children.get(row.parent_id ?? '');
    if (list) list.push(row);
    else children.set(row.parent_id ?? '', [row]);
  }
  const found = rows.filter((row) => row.id === id);
  for (let index = 0; index < found.length; index++) {
    const row = found[index];
    if (row) found.push(...(children.get(row.id) ?? []));
  }
  return found;
}

/** Number of folders from the root to the one, 0 for the root itself. */
export function measureDepth(rows: readonly FolderRow[], id: string | null): number {
  const parents = new Map(rows.map((row) => [row.id, row.parent_id]));
  let depth = 0;
  for (let at = id; at !== null; at = parents.get(at) ?? null) depth += 1;
  return depth;
}

/** Number of levels of a list that has parents before children. */
export function measureHeight(rows: readonly FolderRow[]): number {
  const levels = new Map<string, number>();
  for (const row of rows) levels.set(row.id, (levels.get(row.parent_id ?? '') ?? 0) + 1);
  return Math.max(0, ...levels.values());
}
