import type { SavedWorkflow, Workflow } from '@millrace/contracts';
import { conflict } from '../../core/app-error.ts';
import type { Db } from '../../database/database.ts';
import type { Needs } from '../../services.ts';
import { isPublished, requireWorkflow, type VisibleWorkflow, type WorkflowNeed } from './access.ts';
import { graphProblems } from './graph/graph-facts.ts';
import * as queries from './queries.ts';
import { type Draft, type Graph, workflowRecord } from './record.ts';

/** A workflow with its graphs, as one person may see it. */
export interface State {
  readonly visible: VisibleWorkflow;
  /** The published graph; empty before the first version. */
  readonly graph: Graph;
  /** The draft that the editor saved since. */
  readonly draft: Draft | undefined;
  /** After a change of what MCP clients see of the workflow: the people whose tool it is. */
  readonly tool_users?: readonly string[];
}

/** The graph that is meant: the draft where it is asked for or is all there is, else what is published. */
export function shown({ visible, graph, draft }: State, wants_draft: boolean) {
  const is_draft = draft !== undefined && (wants_draft || !isPublished(visible));
  return { graph: is_draft ? draft.graph : graph, is_draft };
}

export function stateRecord(state: State, wants_draft: boolean): Workflow {
  const { graph, is_draft } = shown(state, wants_draft);
  return { ...workflowRecord(state.visible, graph), is_draft };
}

export const savedRecord = (state: State, wants_draft: boolean): SavedWorkflow => ({
  ...stateRecord(state, wants_draft),
  problems: graphProblems(shown(state, wants_draft).graph),
});

/** Undefined when the draft was replaced since the workflow was read. */
async function loadGraphs(
  { db }: Needs<'db'>,
  visible: VisibleWorkflow,
  with_draft: boolean,
): Promise<State | undefined> {
  const { version_id, draft_id } = visible.row;
  const graph = await queries.graphOfVersion(db, version_id);
  if (draft_id === null || !with_draft) return { visible, graph, draft: undefined };
  const draft = await queries.findDraft(db, draft_id);
  return draft && { visible, graph, draft };
}

const MAX_LOOKS = 10;

/** The current state of the workflow between two saves; the draft is read where it is shown. */
export async function readState(
  ctx: Needs<'db' | 'actor'>,
  id: string,
  { draft: wants_draft = false }: { draft?: boolean | undefined },
): Promise<State> {
  for (let looks = 1; ; looks++) {
    const visible = await requireWorkflow(ctx, id, 'read');
    const state = await loadGraphs(ctx, visible, wants_draft || !isPublished(visible));
    if (state) return state;
    if (looks === MAX_LOOKS) throw new Error(`the draft of workflow ${id} has vanished`);
  }
}

/** Before runs start with the draft, so that it stays when the workflow is saved again. */
export async function keepDraft(db: Db, { visible }: State): Promise<void> {
  if (visible.row.draft_id !== null) await queries.keepDraftRow(db, visible.row.draft_id);
}

/** The state of a workflow, locked against changes until the transaction ends. */
export async function lockedState(
  ctx: Needs<'db' | 'actor'>,
  id: string,
  need: Exclude<WorkflowNeed, 'read'>,
): Promise<State> {
  await queries.lockWorkflow(ctx.db, id);
  // Read after the lock was granted, so that this is what the writer before us left.
  const visible = await requireWorkflow(ctx, id, need);
  const state = await loadGraphs(ctx, visible, true);
  if (!state) throw new Error(`the draft of workflow ${id} has vanished`);
  return state;
}

/**
 * Refuses a change of a state that is no longer the current one. The refusal carries the current state and whether the same
 * person saved its graph, because people have a workflow open in two tabs.
 */
export async function requireFresh(
  { db, actor }: Needs<'db' | 'actor'>,
  base: string | null | undefined,
  state: State,
  as_draft: boolean,
): Promise<void> {
  const { row } = state.visible;
  if (!base || Date.parse(base) === row.updated_at.getTime()) return;
  const saved_by_id = state.draft
    ? state.draft.saved_by_id
    : (await queries.findVersion(db, row.id, row.version_id))?.created_by_id;
  throw conflict('This workflow has been saved elsewhere since you opened it', {
    updated_at: row.updated_at.toISOString(),
    graph_saved_by_you: saved_by_id === actor.user_id,
    current: stateRecord(state, as_draft),
  });
}
