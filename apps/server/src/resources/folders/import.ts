import { setImmediate } from 'node:timers/promises';
import { FOLDER_DEPTH, type FolderImport } from '@millrace/contracts';
import { sortImportLines } from '@millrace/engine';
import { inArray } from 'drizzle-orm';
import { AppError } from '../../core/app-error.ts';
import { isUuid, newId } from '../../core/ids.ts';
import { recordAudit } from '../../database/audit.ts';
import { workflows } from '../../database/schema/index.ts';
import type { Broadcast } from '../../ports/coordination/broadcast.ts';
import type { Services } from '../../services.ts';
import { usableCredentialIds } from '../credentials/service.ts';
import { withKnownSkills } from '../skills/in-graph.ts';
import { findUnreadableSchedule } from '../triggers/require-schedules.ts';
import { selectVisible } from '../workflows/access.ts';
import { cleanGraph } from '../workflows/save.ts';
import { addWorkflow, relinkNewWorkflow } from '../workflows/service.ts';
import { ARCHIVE_LIMITS, type Archive, type ArchiveFile, readArchive } from './archive.ts';
import {
  type Entry,
  type FileNote,
  type ForeignFile,
  listEntries,
  readWorkflow,
  type WorkflowFile,
} from './document.ts';
import * as queries from './queries.ts';
import {
  collectReferences,
  describeMissing,
  findMissing,
  type Known,
  listWorkflowNames,
  relinked,
} from './references.ts';
import { type FolderWriter, requireOwnFolder } from './service.ts';
import { folderRecord, measureDepth } from './tree.ts';

/** The name of a list of workflows that was sent without an archive. */
const LIST_FILE = 'workflows.json';

/** Not an archive, whose first bytes are no text. */
const isJsonText = (bytes: Buffer): boolean => /^\uFEFF?\s*[[{]/.test(bytes.toString('utf8', 0, 1_000));

function listAlone(bytes: Buffer): Archive {
  if (bytes.length > ARCHIVE_LIMITS.entry_bytes)
    throw new AppError(
      'too_large',
      'The list of workflows is too large; put its workflows into a ZIP, a file each',
    );
  return { files: [{ path: LIST_FILE, bytes }], folders: [] };
}

/** The workflows of all files, in the order of the files. Other requests get their turn in between. */
async function readAll(
  ctx: FolderWriter & Pick<Services, 'parsers'>,
  files: readonly ArchiveFile[],
): Promise<(WorkflowFile | ForeignFile | FileNote)[]> {
  const listed: (Entry | ForeignFile | FileNote)[] = [];
  for (const file of files) {
    listed.push(...listEntries(file));
    if (listed.length > ARCHIVE_LIMITS.entries)
      throw new AppError('too_large', `There are more than ${ARCHIVE_LIMITS.entries} workflows`);
    await setImmediate();
  }
  const read: (WorkflowFile | ForeignFile | FileNote)[] = [];
  for (const entry of listed) {
    read.push('json' in entry ? await readWorkflow(ctx, entry) : entry);
    await setImmediate();
  }
  return read;
}

const getFolder = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '');

/** Every folder of a path, outermost first. */
function ancestors(folder: string): string[] {
  if (folder === '') return [];
  const segments = folder.split('/');
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'));
}

/** Rows of the folders that an archive needs, parents before children, by path. */
function folderRows(
  paths: readonly string[],
  { owner_id, parent_id, now }: { owner_id: string; parent_id: string | null; now: Date },
): Map<string, queries.FolderRow> {
  const rows = new Map<string, queries.FolderRow>();
  for (const path of paths.flatMap(ancestors)) {
    if (rows.has(path)) continue;
    const parent = getFolder(path);
    rows.set(path, {
      id: newId(),
      name: path.slice(path.lastIndexOf('/') + 1).slice(0, 255),
      description: null,
      parent_id: parent === '' ? parent_id : (rows.get(parent)?.id ?? null),
      owner_id,
      created_at: now,
      updated_at: now,
    });
  }
  return rows;
}

/** Finds everything that the files refer to and the caller has. */
async function knownReferences(ctx: FolderWriter, files: readonly WorkflowFile[]): Promise<Known> {
  const references = files.flatMap((file) => file.nodes.flatMap((node) => collectReferences(node.data)));
  const ids = (kind: 'credential' | 'workflow') => [
    ...new Set(references.filter((item) => item.kind === kind && isUuid(item.id)).map((item) => item.id)),
  ];
  const targets = ids('workflow');
  const visible =
    targets.length === 0
      ? []
      : await selectVisible(ctx.db, ctx.actor.user_id, inArray(workflows.id, targets));
  const names = [
    ...new Set(files.flatMap((file) => file.nodes.flatMap((node) => listWorkflowNames(node.data)))),
  ];
  const named =
    names.length === 0 ? [] : await selectVisible(ctx.db, ctx.actor.user_id, inArray(workflows.name, names));
  return {
    credentials: await usableCredentialIds(ctx, ids('credential')),
    workflows: new Map(visible.map(({ workflow }) => [workflow.id, workflow.id])),
    names: new Map(named.map(({ workflow }) => [workflow.name, workflow.id])),
  };
}

/** Holds back what the services announce until the transaction has committed. */
function heldBack(broadcast: Broadcast): { broadcast: Broadcast; release: () => void } {
  const held: (() => void)[] = [];
  return {
    broadcast: {
      ...broadcast,
      publish: (channel, payload) => void held.push(() => broadcast.publish(channel, payload)),
    },
    release: () => {
      for (const publish of held) publish();
    },
  };
}

/**
 * Creates what the archive, or the list of workflows, holds in one transaction: all of it or nothing. References to credentials and workflows that
 * the caller does not have are left out and listed.
 */
export async function importFolder(
  ctx: FolderWriter & Pick<Services, 'parsers'>,
  {
    bytes,
    parent_id = null,
    as_draft,
  }: { bytes: Buffer; parent_id?: string | null; as_draft?: boolean | undefined },
): Promise<FolderImport> {
  const archive = isJsonText(bytes) ? listAlone(bytes) : await readArchive(bytes);
  const read = await readAll(ctx, archive.files);
  const files = await Promise.all(
    read.filter((file): file is WorkflowFile => 'nodes' in file).map((file) => attachSkills(ctx, file)),
  );
  const foreign = read.filter((file): file is ForeignFile => 'reason' in file);
  if (files.length === 0 && (archive.folders.length === 0 || foreign.length > 0)) {
    const [first] = foreign;
    const reason = first === undefined ? '' : `: the file "${first.path}" ${first.reason}`;
    throw new AppError('bad_request', `The archive contains no workflow${reason}`);
  }
  const { broadcast, release } = heldBack(ctx.broadcast);
  const result = await ctx.db.transaction((tx) =>
    store({ ...ctx, db: tx, broadcast }, { files, folders: archive.folders, parent_id, as_draft }),
  );
  release();
  const left = read.flatMap((file) => {
    if ('note' in file) return [{ field: file.path, message: file.note }];
    return 'reason' in file
      ? [{ field: file.path, message: `The file was left out: it ${file.reason}` }]
      : [];
  });
  const changed = files.flatMap(({ path, import_lines }) =>
    import_lines.map(({ field, message }) => ({ field: `${path}: ${field}`, message })),
  );
  return { ...result, warnings: [...left, ...changed] };
}

/** The file with its skills of the library, as far as the caller can see them. */
async function attachSkills(ctx: FolderWriter, file: WorkflowFile): Promise<WorkflowFile> {
  const { graph, warnings } = await withKnownSkills(ctx, { nodes: file.nodes, edges: file.edges });
  return { ...file, nodes: graph.nodes, import_lines: [...file.import_lines, ...warnings] };
}

interface Contents {
  readonly files: readonly WorkflowFile[];
  readonly folders: readonly string[];
  readonly parent_id: string | null;
  /** Nothing of it is published. */
  readonly as_draft: boolean | undefined;
}

async function storeFolders(ctx: FolderWriter, { files, folders, parent_id }: Contents) {
  const owner_id = ctx.actor.user_id;
  await queries.lockTree(ctx.db, owner_id);
  if (parent_id !== null) await requireOwnFolder(ctx, parent_id);
  const paths = [...folders, ...files.map((file) => getFolder(file.path))];
  const base = measureDepth(await queries.ownFolders(ctx.db, owner_id), parent_id);
  if (paths.some((path) => base + ancestors(path).length > FOLDER_DEPTH)) {
    throw new AppError('bad_request', `Folders can be nested at most ${FOLDER_DEPTH} levels deep`);
  }
  const rows = folderRows(paths, { owner_id, parent_id, now: new Date(ctx.now()) });
  if (rows.size > 0) await queries.insertFolders(ctx.db, [...rows.values()]);
  return rows;
}

async function storeWorkflow(
  ctx: FolderWriter,
  file: WorkflowFile,
  { folder_id, as_draft }: { folder_id: string | null; as_draft: boolean | undefined },
): Promise<FolderImport['workflows'][number]> {
  const graph = cleanGraph({ nodes: file.nodes, edges: file.edges });
  const { name: given, description } = file;
  const input = {
    name: given,
    description,
    graph,
    settings: { ...file.settings, folder_id },
    // One workflow that cannot be published does not keep the others out.
    as_draft: (as_draft ?? file.is_converted) || findUnreadableSchedule(graph) !== undefined,
    import_lines: file.import_lines,
  };
  const { id, name } = await addWorkflow(ctx, input, 'workflow.imported');
  return { id, name, file: file.path };
}

/** References as they are known with the workflows of the archive, whose ids and names here are those of `made`, in its order. */
function withInside(
  known: Known,
  files: readonly WorkflowFile[],
  made: readonly { readonly id: string; readonly name: string }[],
): Known {
  const inside = new Map<string, string>();
  const twice = new Set<string>();
  for (const [index, { id }] of files.entries()) {
    if (id === undefined) continue;
    if (inside.has(id)) twice.add(id);
    inside.set(id, made[index]?.id ?? '');
  }
  // Which of two is meant is not known.
  for (const id of twice) inside.delete(id);
  return {
    ...known,
    workflows: new Map([...known.workflows, ...inside]),
    // The archive comes first; workflows of the caller are known under their names when it has none of that name.
    names: new Map([...known.names, ...made.map(({ id, name }): [string, string] => [name, id])]),
  };
}

/** A reference to another file of the archive leads to the workflow that was made of it. */
async function relink(
  ctx: FolderWriter,
  files: readonly WorkflowFile[],
  { made, all }: { readonly made: FolderImport['workflows']; readonly all: Known },
): Promise<void> {
  for (const [index, file] of files.entries()) {
    const leads = ({ data }: (typeof file.nodes)[number]) =>
      collectReferences(data).length > 0 || listWorkflowNames(data).length > 0;
    if (!file.nodes.some(leads)) continue;
    const id = made[index]?.id ?? '';
    const nodes = file.nodes.map((node) => ({ ...node, data: relinked(node.data, all) }));
    const graph = cleanGraph({ nodes, edges: file.edges });
    await relinkNewWorkflow(ctx.db, id, graph);
  }
}

const KINDS = ['credential', 'workflow'] as const;

/** Lines of the report of a workflow about what its nodes refer to and the caller does not have. */
const describeMissingReferences = ({ nodes, path }: WorkflowFile, known: Known) =>
  KINDS.flatMap((kind) =>
    nodes.flatMap((node, index) =>
      findMissing(kind, { file: path, node, known }).map(({ field, node_label }) => ({
        field: `nodes.${index}.${field}`,
        message: describeMissing(kind, node_label ?? node.id),
      })),
    ),
  );

async function store(ctx: FolderWriter, contents: Contents): Promise<Omit<FolderImport, 'warnings'>> {
  const { files, parent_id, as_draft } = contents;
  const folders = await storeFolders(ctx, contents);
  const outside = await knownReferences(ctx, files);
  // The ids are those of the files until the workflows are stored; whether one is missing is known before.
  const expected = withInside(
    outside,
    files,
    files.map(({ id, name }) => ({ id: id ?? '', name })),
  );
  const made: FolderImport['workflows'] = [];
  for (const file of files) {
    const folder_id = folders.get(getFolder(file.path))?.id ?? parent_id;
    const import_lines = sortImportLines([
      ...file.import_lines,
      ...describeMissingReferences(file, expected),
    ]);
    made.push(await storeWorkflow(ctx, { ...file, import_lines }, { folder_id, as_draft }));
  }
  const known = withInside(outside, files, made);
  await relink(ctx, files, { made, all: known });
  const [first] = folders.values();
  await recordAudit(ctx.db, ctx, {
    action: 'folder.imported',
    object_kind: 'folder',
    object_id: first?.id,
    object_name: first?.name,
    details: { folders: folders.size, workflows: made.length },
  });
  const missing = (kind: (typeof KINDS)[number]) =>
    files.flatMap((file) =>
      file.nodes.flatMap((node) => findMissing(kind, { file: file.path, node, known })),
    );
  return {
    folders: [...folders.values()].map(folderRecord),
    workflows: made,
    missing_credentials: missing('credential'),
    missing_workflows: missing('workflow'),
  };
}
