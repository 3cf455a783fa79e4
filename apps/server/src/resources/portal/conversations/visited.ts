import { MAX_TURNS, type VisitedConversation } from '@millrace/contracts';
import { notFound } from '../../../core/app-error.ts';
import { auditStatement } from '../../../database/audit.ts';
import type { Needs, Services } from '../../../services.ts';
import { requireWorkflow } from '../../workflows/access.ts';
import * as queries from './queries.ts';
import { conversationItem, loadTurns } from './service.ts';

type Reader = Needs<'db' | 'sql' | 'actor'>;

const visitedItem = (row: queries.ConversationRow): VisitedConversation => ({
  ...conversationItem(row),
  visitor_id: row.visitor_id ?? '',
  username: row.username,
});

/** Conversations of all visitors, for those who see the runs, too (§5.8). */
export async function listVisited(
  ctx: Reader,
  id: string,
  { visitor_id, ...paging }: queries.Paging & { visitor_id?: string | undefined },
) {
  const { row } = await requireWorkflow(ctx, id, 'read');
  const scope = { workflow_id: row.id, visitor_id };
  const { rows, total } = await queries.listConversations(ctx.sql, scope, paging);
  return { items: rows.map(visitedItem), total, ...paging };
}

export async function readVisited(
  ctx: Reader & Pick<Services, 'database' | 'execution'>,
  id: string,
  conversation_id: string,
) {
  const { row: workflow } = await requireWorkflow(ctx, id, 'read');
  const row = await queries.findConversation(ctx.sql, { workflow_id: workflow.id }, conversation_id);
  if (!row) throw notFound('Conversation');
  const turns = await queries.readTurns(ctx.sql, row.id, { limit: MAX_TURNS });
  return { ...visitedItem(row), turns: await loadTurns(ctx, turns) };
}

export async function deleteVisited(
  ctx: Needs<'db' | 'actor' | 'now' | 'request_id' | 'client_ip'> & Pick<Services, 'database'>,
  id: string,
  conversation_id: string,
): Promise<void> {
  const { row: workflow } = await requireWorkflow(ctx, id, 'own');
  const entry = {
    action: 'portal_conversation.deleted',
    object_kind: 'workflow',
    object_id: workflow.id,
    object_name: workflow.name,
    owner_id: workflow.owner_id,
    details: { conversation_id },
  };
  await ctx.database.sql.transaction(async (tx) => {
    if (!(await queries.deleteConversation(tx, { workflow_id: workflow.id }, conversation_id)))
      throw notFound('Conversation');
    await tx.query(auditStatement(ctx, entry));
  });
}
