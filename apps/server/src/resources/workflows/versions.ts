import type {
  SavedWorkflow,
  VersionDiff,
  VersionedSettings,
  WorkflowRole,
  WorkflowVersion,
  WorkflowVersionSummary,
} from '@millrace/contracts';
import { notFound } from '../../core/app-error.ts';
import { recordAudit } from '../../core/audit.ts';
import type { Needs } from '../../core/context.ts';
import { requireWorkflow } from './access.ts';
import { diffConfig, diffGraphs } from './diff.ts';
import { graphProblems } from './graph-facts.ts';
import * as queries from './queries.ts';
import { type Graph, hideHeaderValue, workflowRecord } from './record.ts';
import { announceChange, lockedState, type SaveContext, writeState } from './save.ts';

type Reader = Needs<'db' | 'actor'>;
type FoundVersion = NonNullable<Awaited<ReturnType<typeof queries.versionOf>>>;

async function requireVersion(ctx: Needs<'db'>, workflow_id: string, id: string): Promise<FoundVersion> {
  const version = await queries.versionOf(ctx.db, workflow_id, id);
  if (!version) throw notFound('Version');
  return version;
}

const settingsOf = (version: FoundVersion) => version.settings as VersionedSettings;
const graphOf = ({ nodes, edges }: FoundVersion) => ({ nodes, edges }) as Graph;

function versionRecord(version: FoundVersion, role: WorkflowRole): WorkflowVersion {
  const { id, workflow_id, version_number, name, description, created_by_id, created_by_name } = version;
  return {
    id,
    workflow_id,
    version_number,
    name,
    description,
    created_by_id,
    created_by_name,
    created_at: version.created_at.toISOString(),
    ...hideHeaderValue(settingsOf(version), role),
    ...graphOf(version),
  };
}

export async function listVersions(
  ctx: Reader,
  workflow_id: string,
  page: { limit: number; offset: number },
): Promise<WorkflowVersionSummary[]> {
  const { row } = await requireWorkflow(ctx, workflow_id, 'read');
  const which = { workflow_id, current_id: row.version_id };
  const rows = await queries.listFormerVersions(ctx.db, which, page);
  return rows.map((version) => ({ ...version, created_at: version.created_at.toISOString() }));
}

export async function readVersion(ctx: Reader, workflow_id: string, id: string): Promise<WorkflowVersion> {
  const { role } = await requireWorkflow(ctx, workflow_id, 'read');
  return versionRecord(await requireVersion(ctx, workflow_id, id), role);
}

function configOf(version: FoundVersion, role: WorkflowRole): Record<string, unknown> {
  const { name, description } = version;
  const { auth_header_value, ...settings } = settingsOf(version);
  return { name, description, ...settings, ...(role === 'owner' ? { auth_header_value } : {}) };
}

/** What changed from one version to another, to the current one unless told. */
export async function diffVersions(
  ctx: Reader,
  workflow_id: string,
  { id, compare_to }: { id: string; compare_to: string | undefined },
): Promise<VersionDiff> {
  const { row, role } = await requireWorkflow(ctx, workflow_id, 'read');
  const before = await requireVersion(ctx, workflow_id, id);
  const after = await requireVersion(ctx, workflow_id, compare_to ?? row.version_id);
  return {
    version_id: before.id,
    version_number: before.version_number,
    compared_to_version_id: after.id,
    compared_to_version_number: after.version_number,
    ...diffGraphs(graphOf(before), graphOf(after)),
    config_changes: diffConfig(configOf(before, role), configOf(after, role)),
  };
}

/** Makes a former state current again as a new version; what was current stays among the versions. */
export async function revertVersion(
  ctx: SaveContext,
  workflow_id: string,
  id: string,
): Promise<SavedWorkflow> {
  const saved = await ctx.db.transaction(async (tx) => {
    const inside = { ...ctx, db: tx };
    const before = await lockedState(inside, workflow_id, 'own');
    const version = await requireVersion(inside, workflow_id, id);
    const { name, description } = version;
    const change = { name, description, ...settingsOf(version) };
    return writeState(inside, before, { change, graph: graphOf(version) });
  });
  announceChange(ctx, workflow_id);
  return { ...workflowRecord(saved.visible, saved.graph), problems: graphProblems(saved.graph) };
}

/** Forgets former versions; those that unfinished runs are pinned to stay (a run never changes its version). */
export async function deleteVersions(ctx: Needs<'db' | 'actor' | 'now'>, workflow_id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const { visible } = await lockedState({ ...ctx, db: tx }, workflow_id, 'own');
    await queries.deleteFormerVersions(tx, workflow_id, visible.row.version_id);
    await recordAudit(tx, ctx, {
      action: 'workflow.versions_deleted',
      object_kind: 'workflow',
      object_id: workflow_id,
      object_name: visible.row.name,
    });
  });
}
