import { Readable } from 'node:stream';
import type { Folder, WorkflowSummary } from '@millrace/contracts';
import { ZipFile } from 'yazl';
import type { Needs } from '../../services.ts';
import { withSkillCopies } from '../skills/in-graph.ts';
import { isPublished, selectVisible, visibleWorkflow } from '../workflows/access.ts';
import { workflowSummary } from '../workflows/record.ts';
import { createNamer, safeSegment } from './names.ts';
import * as queries from './queries.ts';
import { requireOwnFolder } from './service.ts';
import { byFolder, subtree } from './tree.ts';

export interface FolderArchive {
  readonly file_name: string;
  readonly stream: NodeJS.ReadableStream;
}

/** One workflow as a file; the id lets an import join workflows of the same archive again. */
interface Exported {
  readonly summary: WorkflowSummary;
  readonly version_id: string;
  /** Of a workflow that was never published. */
  readonly draft_id: string | null;
}

async function visibleIn(ctx: Needs<'db' | 'actor'>, folder_ids: readonly string[]): Promise<Exported[]> {
  const { user_id } = ctx.actor;
  const rows = await selectVisible(ctx.db, user_id, queries.placedIn(user_id, folder_ids));
  return rows
    .map((row) => ({
      summary: workflowSummary(visibleWorkflow(row, user_id)),
      version_id: row.workflow.version_id,
      draft_id: isPublished(row) ? null : row.workflow.draft_id,
    }))
    .sort((a, b) => a.summary.name.localeCompare(b.summary.name));
}

/** Path of each folder inside the archive, with a slash at its end. */
function folderPaths(
  rows: readonly queries.FolderRow[],
  name: ReturnType<typeof createNamer>,
): Map<Folder['id'], string> {
  const paths = new Map<string, string>();
  for (const row of rows) {
    const parent = paths.get(row.parent_id ?? '') ?? '';
    paths.set(row.id, name(parent, row.name, '/'));
  }
  return paths;
}

/**
 * ZIP of a folder and all its sub-folders, one JSON file a workflow. Graphs are read one after another while the archive
 * is sent, so that its size does not matter.
 */
export async function exportFolder(ctx: Needs<'db' | 'actor'>, id: string): Promise<FolderArchive> {
  const root = await requireOwnFolder(ctx, id);
  const rows = subtree(await queries.ownFolders(ctx.db, ctx.actor.user_id), id);
  const exported = await visibleIn(
    ctx,
    rows.map((row) => row.id),
  );
  const graphs = new Map(exported.map((one) => [one.summary.id, one]));
  const name = createNamer();
  const zip = new ZipFile();
  const contents = byFolder(exported.map(({ summary }) => summary));
  for (const [folder_id, path] of folderPaths(rows, name)) {
    const inside = contents.get(folder_id) ?? [];
    if (inside.length === 0) zip.addEmptyDirectory(path);
    for (const summary of inside) {
      const file = name(path, summary.name, '.json');
      zip.addReadStreamLazy(file, { mtime: new Date(summary.updated_at) }, (give) => {
        buildFile(ctx, summary, graphs.get(summary.id)).then(
          (text) => give(null, Readable.from([text])),
          (error: unknown) => give(error, Readable.from([])),
        );
      });
    }
  }
  zip.end();
  return { file_name: `${safeSegment(root.name)}.zip`, stream: zip.outputStream };
}

async function buildFile(
  ctx: Needs<'db' | 'actor'>,
  summary: WorkflowSummary,
  from: Pick<Exported, 'version_id' | 'draft_id'> | undefined,
): Promise<Buffer> {
  const { id, name, description } = summary;
  const draft = from?.draft_id ? await queries.graphOfDraft(ctx.db, from.draft_id) : undefined;
  const graph = draft ??
    (await queries.graphOfVersion(ctx.db, from?.version_id ?? '')) ?? { nodes: [], edges: [] };
  const complete = await withSkillCopies(ctx, graph);
  return Buffer.from(`${JSON.stringify({ id, name, description, ...complete }, null, 2)}\n`);
}
