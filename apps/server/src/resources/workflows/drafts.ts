import type { SavedWorkflow } from '@millrace/contracts';
import { conflict } from '../../core/app-error.ts';
import { isPublished } from './access.ts';
import { announceChange, type SaveContext, writeState } from './save.ts';
import { lockedState, requireFresh, savedRecord, shown } from './state.ts';

interface Publication {
  readonly note?: string | null | undefined;
  readonly base_updated_at?: string | null | undefined;
  /** Of the owner, where evals of the gate have not passed. */
  readonly override_reason?: string | null | undefined;
}

/** Makes the draft a version, for people who may edit the graph. Without a draft nothing changes. */
export async function publishWorkflow(
  ctx: SaveContext,
  id: string,
  { note, base_updated_at, override_reason }: Publication,
): Promise<SavedWorkflow> {
  const state = await ctx.db.transaction(async (tx) => {
    const inside = { ...ctx, db: tx };
    const before = await lockedState(inside, id, 'edit');
    await requireFresh(inside, base_updated_at, before, true);
    if (!before.draft && isPublished(before.visible)) return before;
    const { graph } = shown(before, true);
    const action = 'workflow.published';
    const written = { action, change: {}, graph, draft: null, note: note || null, override_reason };
    return writeState(inside, before, written);
  });
  announceChange(ctx, id, state);
  return savedRecord(state, true);
}

/** Goes back to what is published. */
export async function discardDraft(
  ctx: SaveContext,
  id: string,
  base_updated_at: string | undefined,
): Promise<SavedWorkflow> {
  const state = await ctx.db.transaction(async (tx) => {
    const inside = { ...ctx, db: tx };
    const before = await lockedState(inside, id, 'edit');
    await requireFresh(inside, base_updated_at, before, true);
    if (!isPublished(before.visible)) {
      throw conflict('The workflow was never published, so there is nothing to go back to');
    }
    if (!before.draft) return before;
    return writeState(inside, before, { action: 'workflow.draft_discarded', change: {}, draft: null });
  });
  return savedRecord(state, true);
}
