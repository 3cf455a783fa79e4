import type {
  createTemplate as createContract,
  NodeTemplate,
  Received,
  WorkflowTemplate,
} from '@millrace/contracts';
import { forbidden, notFound } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import type { Needs } from '../../services.ts';
import { requireMember } from '../teams/access.ts';
import { cleanJson } from '../workflows/graph/clean-json.ts';
import { cleanGraph } from '../workflows/save.ts';
import * as queries from './queries.ts';

export type Reader = Needs<'db' | 'actor'>;
type Writer = Needs<'db' | 'actor' | 'now' | 'request_id' | 'client_ip'>;
type CreateInput = Received<typeof createContract>['body'];
export type AnyTemplate = WorkflowTemplate | NodeTemplate;

interface Graph {
  readonly nodes: WorkflowTemplate['nodes'];
  readonly edges: WorkflowTemplate['edges'];
}

function common(
  { template, author_name, shared_with, shared_with_teams }: queries.VisibleRow,
  user_id: string,
) {
  const isAuthor = template.author_id === user_id;
  return {
    id: template.id,
    author_id: template.author_id,
    author_name,
    name: template.name,
    description: template.description,
    tags: template.tags,
    visibility: template.visibility,
    shared_with: isAuthor ? shared_with : [],
    shared_with_teams: isAuthor ? shared_with_teams : [],
    use_count: template.use_count,
    created_at: template.created_at.toISOString(),
  };
}

function workflowRecord(row: queries.VisibleRow, user_id: string): WorkflowTemplate {
  const { nodes, edges } = row.template.graph as Graph;
  return { ...common(row, user_id), nodes, edges, canvas_snapshot: row.template.canvas_snapshot };
}

function nodeRecord(row: queries.VisibleRow, user_id: string): NodeTemplate {
  const node_data = row.template.graph as Record<string, unknown>;
  return { ...common(row, user_id), node_type: row.template.node_type ?? '', node_data };
}

const toViewer = ({ actor }: Reader): queries.Viewer => ({ user_id: actor.user_id, email: actor.email });

export async function listTemplates(
  ctx: Reader,
  filter: { type?: 'workflow' | 'node' | undefined; search?: string | undefined },
): Promise<{ workflow_templates: WorkflowTemplate[]; node_templates: NodeTemplate[] }> {
  const { user_id } = ctx.actor;
  const rows = await queries.listVisible(ctx.db, toViewer(ctx), filter);
  const of = (kind: queries.TemplateKind) => rows.filter((row) => row.template.kind === kind);
  return {
    workflow_templates: of('workflow').map((row) => workflowRecord(row, user_id)),
    node_templates: of('node').map((row) => nodeRecord(row, user_id)),
  };
}

export type NamedTemplate = Awaited<ReturnType<typeof queries.namesVisible>>[number];

/** Names of all templates that the person may see (§2.5), the oldest first, for callers without a session. */
export async function namesFor(db: Db, user_id: string): Promise<NamedTemplate[]> {
  const viewer = await queries.viewerById(db, user_id);
  return viewer ? queries.namesVisible(db, viewer) : [];
}

/** The content of a template: the graph of a workflow, or the settings of a node. */
export interface TemplateContent {
  readonly node_type: string | null;
  readonly graph: unknown;
}

/** @returns undefined when the person may not see it */
export async function contentFor(
  db: Db,
  user_id: string,
  template: Named,
): Promise<TemplateContent | undefined> {
  const viewer = await queries.viewerById(db, user_id);
  return viewer && (await queries.visibleById(db, viewer, template))?.template;
}

interface Named {
  readonly kind: queries.TemplateKind;
  readonly id: string;
}

async function requireVisible(ctx: Reader, template: Named): Promise<queries.VisibleRow> {
  const row = await queries.visibleById(ctx.db, toViewer(ctx), template);
  if (!row) throw notFound('Template');
  return row;
}

async function requireAuthor(ctx: Reader, template: Named): Promise<queries.TemplateRow> {
  const { template: row } = await requireVisible(ctx, template);
  if (row.author_id !== ctx.actor.user_id) throw forbidden('Only the author of the template may do this');
  return row;
}

export const readWorkflowTemplate = async (ctx: Reader, id: string): Promise<WorkflowTemplate> =>
  workflowRecord(await requireVisible(ctx, { kind: 'workflow', id }), ctx.actor.user_id);

export const readNodeTemplate = async (ctx: Reader, id: string): Promise<NodeTemplate> =>
  nodeRecord(await requireVisible(ctx, { kind: 'node', id }), ctx.actor.user_id);

interface Sharing {
  readonly shared_with?: readonly string[] | null | undefined;
  readonly shared_with_teams?: readonly string[] | null | undefined;
}

/** Teams are named by their members only. */
async function setSharing(
  ctx: Reader,
  id: string,
  { shared_with, shared_with_teams }: Sharing,
): Promise<void> {
  for (const team_id of shared_with_teams ?? []) await requireMember(ctx, team_id);
  if (shared_with) await queries.setSharedEmails(ctx.db, id, shared_with);
  if (shared_with_teams) await queries.setSharedTeams(ctx.db, id, shared_with_teams);
}

const auditTemplate = (db: Db, ctx: Writer, verb: string, { kind, id, name }: Named & { name: string }) =>
  recordAudit(db, ctx, {
    action: `template.${verb}`,
    object_kind: `${kind}_template`,
    object_id: id,
    object_name: name,
  });

function buildContent(input: CreateInput) {
  if (input.kind === 'workflow') {
    const { nodes, edges, canvas_snapshot, ...settings } = input.workflow;
    const graph = cleanGraph({ nodes, edges }, ['body', 'workflow']);
    return { settings, graph, node_type: null, canvas_snapshot: canvas_snapshot ?? null };
  }
  const { node_type, node_data, ...settings } = input.node;
  return {
    settings,
    graph: cleanJson(node_data, ['body', 'node', 'node_data']),
    node_type,
    canvas_snapshot: null,
  };
}

export async function createTemplate(ctx: Writer, input: CreateInput): Promise<AnyTemplate> {
  const id = newId();
  const now = new Date(ctx.now());
  const { settings, ...content } = buildContent(input);
  const { shared_with, shared_with_teams, ...texts } = settings;
  await ctx.db.transaction(async (tx) => {
    await queries.insertTemplate(tx, {
      ...texts,
      ...content,
      id,
      kind: input.kind,
      author_id: ctx.actor.user_id,
      description: texts.description || null,
      created_at: now,
      updated_at: now,
    });
    await setSharing({ ...ctx, db: tx }, id, { shared_with, shared_with_teams });
    await auditTemplate(tx, ctx, 'created', { kind: input.kind, id, name: texts.name });
  });
  return input.kind === 'workflow' ? readWorkflowTemplate(ctx, id) : readNodeTemplate(ctx, id);
}

export interface TemplateChange extends Sharing {
  readonly name?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly tags?: string[] | null | undefined;
  readonly visibility?: 'everyone' | 'specific_users' | null | undefined;
}

export async function updateTemplate(ctx: Writer, template: Named, change: TemplateChange): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const inside = { ...ctx, db: tx };
    const row = await requireAuthor(inside, template);
    await queries.updateTemplate(tx, row.id, {
      name: change.name ?? row.name,
      description: typeof change.description === 'string' ? change.description || null : row.description,
      tags: change.tags ?? row.tags,
      visibility: change.visibility ?? row.visibility,
      updated_at: new Date(ctx.now()),
    });
    await setSharing(inside, row.id, change);
    await auditTemplate(tx, ctx, 'updated', { ...template, name: change.name ?? row.name });
  });
}

export async function deleteTemplate(ctx: Writer, template: Named): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const row = await requireAuthor({ ...ctx, db: tx }, template);
    await queries.deleteTemplate(tx, row.id);
    await auditTemplate(tx, ctx, 'deleted', { ...template, name: row.name });
  });
}

/** Every user who may see a template may use it; concurrent uses all count. */
export async function countUse(ctx: Reader, template: Named): Promise<void> {
  await requireVisible(ctx, template);
  await queries.countUse(ctx.db, template.id);
}
