import type {
  SavedWorkflow,
  VersionDiff,
  VersionedSettings,
  WorkflowRole,
  WorkflowVersion,
  WorkflowVersionSummary,
} from '@millrace/contracts';
import { notFound } from '../../core/app-error.ts';
import { recordAudit } from '../../database/audit.ts';
import { deleteFormerDrafts, deleteFormerVersions } from '../../execution/store/pinned-graphs.ts';
import type { Needs } from '../../services.ts';
import { requireWorkflow } from './access.ts';
import { diffConfig, diffGraphs } from './graph/diff.ts';
import * as queries from './queries.ts';
import { type Graph, hideHeaderValue, versionedSettings } from './record.ts';
import { announceChange, type SaveContext, writeState } from './save.ts';
import { lockedState, readState, savedRecord, shown } from './state.ts';

type Reader = Needs<'db' | 'actor'>;
type FoundVersion = NonNullable<Awaited<ReturnType<typeof queries.findVersion>>>;

async function requireVersion(ctx: Needs<'db'>, workflow_id: string, id: string): Promise<FoundVersion> {
  const version = await queries.findVersion(ctx.db, workflow_id, id);
  if (!version) throw notFound('Version');
  return version;
}

const getSettings = (version: FoundVersion) => version.settings as VersionedSettings;
const pickGraph = ({ nodes, edges }: FoundVersion) => ({ nodes, edges }) as Graph;

function versionRecord(version: FoundVersion, role: WorkflowRole): WorkflowVersion {
  const { id, workflow_id, version_number, name, description, note, override_reason } = version;
  const { created_by_id, created_by_name } = version;
  return {
    id,
    workflow_id,
    version_number,
    name,
    description,
    note,
    override_reason,
    created_by_id,
    created_by_name,
    created_at: version.created_at.toISOString(),
    ...hideHeaderValue(getSettings(version), role),
    ...pickGraph(version),
  };
}

export async function listVersions(
  ctx: Reader,
  workflow_id: string,
  { current, ...page }: { limit: number; offset: number; current?: boolean | undefined },
): Promise<WorkflowVersionSummary[]> {
  const { row } = await requireWorkflow(ctx, workflow_id, 'read');
  const which = { workflow_id, except_id: current ? undefined : row.version_id };
  const rows = await queries.listVersions(ctx.db, which, page);
  return rows.map((version) => ({ ...version, created_at: version.created_at.toISOString() }));
}

export async function readVersion(ctx: Reader, workflow_id: string, id: string): Promise<WorkflowVersion> {
  const { role } = await requireWorkflow(ctx, workflow_id, 'read');
  return versionRecord(await requireVersion(ctx, workflow_id, id), role);
}

type Texts = Pick<FoundVersion, 'name' | 'description'>;

function pickConfig({ name, description }: Texts, all: VersionedSettings, role: WorkflowRole) {
  const { auth_header_value, ...settings } = all;
  return { name, description, ...settings, ...(role === 'owner' ? { auth_header_value } : {}) };
}

/** The content of the next version: the draft, with the texts and settings of now. */
async function nextVersion(ctx: Reader, workflow_id: string) {
  const state = await readState(ctx, workflow_id, { draft: true });
  const { row, role } = state.visible;
  const { graph } = shown(state, true);
  return {
    id: row.draft_id ?? row.version_id,
    number: null,
    graph,
    config: pickConfig(row, versionedSettings(row), role),
  };
}

async function comparedVersion(ctx: Reader, { workflow_id, id, role }: Which) {
  const version = await requireVersion(ctx, workflow_id, id);
  const config = pickConfig(version, getSettings(version), role);
  return { id: version.id, number: version.version_number, graph: pickGraph(version), config };
}

interface Which {
  readonly workflow_id: string;
  readonly id: string;
  readonly role: WorkflowRole;
}

/** The changes from one version to another or to the draft, to the current version by default. */
export async function diffVersions(
  ctx: Reader,
  workflow_id: string,
  { id, compare_to }: { id: string; compare_to: string | undefined },
): Promise<VersionDiff> {
  const { row, role } = await requireWorkflow(ctx, workflow_id, 'read');
  const before = await comparedVersion(ctx, { workflow_id, id, role });
  const after =
    compare_to === 'draft'
      ? await nextVersion(ctx, workflow_id)
      : await comparedVersion(ctx, { workflow_id, id: compare_to ?? row.version_id, role });
  return {
    version_id: before.id,
    version_number: before.number,
    compared_to_version_id: after.id,
    compared_to_version_number: after.number,
    ...diffGraphs(before.graph, after.graph),
    config_changes: diffConfig(before.config, after.config),
  };
}

/** Makes a former state current again as a new version, and the draft too; what was current stays among the versions. */
export async function revertVersion(
  ctx: SaveContext,
  workflow_id: string,
  { id, override_reason }: { id: string; override_reason: string | null | undefined },
): Promise<SavedWorkflow> {
  const saved = await ctx.db.transaction(async (tx) => {
    const inside = { ...ctx, db: tx };
    const before = await lockedState(inside, workflow_id, 'own');
    const version = await requireVersion(inside, workflow_id, id);
    const { name, description } = version;
    const change = { name, description, ...getSettings(version) };
    if (version.version_number === 0) throw notFound('Version');
    return writeState(inside, before, { change, graph: pickGraph(version), draft: null, override_reason });
  });
  announceChange(ctx, workflow_id, saved);
  return savedRecord(saved, false);
}

/** Forgets former versions; those that unfinished runs are pinned to stay (a run never changes its version). */
export async function deleteVersions(ctx: Needs<'db' | 'actor' | 'now'>, workflow_id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const { visible } = await lockedState({ ...ctx, db: tx }, workflow_id, 'own');
    await deleteFormerVersions(tx, workflow_id, visible.row.version_id);
    await deleteFormerDrafts(tx, workflow_id, visible.row.draft_id);
    await recordAudit(tx, ctx, {
      action: 'workflow.versions_deleted',
      object_kind: 'workflow',
      object_id: workflow_id,
      object_name: visible.row.name,
    });
  });
}
