import type { AnalysisDocument } from '@millrace/contracts';
import { conflict } from '../../core/app-error.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import type { Needs } from '../../services.ts';
import { requireWorkflow } from '../workflows/access.ts';
import * as queries from './queries.ts';

async function current(db: Db, workflow_id: string): Promise<AnalysisDocument> {
  const row = await queries.findDocument(db, workflow_id);
  if (!row) return { content: '', revision: 0, updated_by: null, updated_at: null };
  const { content, revision, author_id, author_name } = row;
  return {
    content,
    revision,
    updated_by: author_id && author_name ? { id: author_id, name: author_name } : null,
    updated_at: row.updated_at.toISOString(),
  };
}

/** The text for callers whose access to the workflow has been checked; undefined while nothing has been written. */
export const documentText = async (db: Db, workflow_id: string): Promise<string | undefined> =>
  (await queries.findDocument(db, workflow_id))?.content;

export async function readDocument(
  ctx: Needs<'db' | 'actor'>,
  workflow_id: string,
): Promise<AnalysisDocument> {
  await requireWorkflow(ctx, workflow_id, 'read');
  return current(ctx.db, workflow_id);
}

export async function writeDocument(
  ctx: Needs<'db' | 'actor' | 'now' | 'request_id' | 'client_ip'>,
  workflow_id: string,
  input: { content: string; base_revision: number },
): Promise<AnalysisDocument> {
  const { row } = await requireWorkflow(ctx, workflow_id, 'edit');
  const written = await ctx.db.transaction(async (tx) => {
    const by = { updated_by_id: ctx.actor.user_id, updated_at: new Date(ctx.now()) };
    if (!(await queries.writeDocument(tx, { workflow_id, ...input, ...by }))) return false;
    await recordAudit(tx, ctx, {
      action: 'workflow.analysis_document_written',
      object_kind: 'workflow',
      object_id: workflow_id,
      object_name: row.name,
      owner_id: row.owner_id,
    });
    return true;
  });
  const document = await current(ctx.db, workflow_id);
  if (!written) throw conflict('The document was changed after you opened it', { ...document });
  return document;
}
