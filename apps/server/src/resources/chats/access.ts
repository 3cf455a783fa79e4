import { notFound } from '../../core/app-error.ts';
import type { Needs } from '../../services.ts';
import { ownChat } from './queries.ts';
import type { ChatRow } from './rows.ts';

/** The chat when it is the caller's own; otherwise it does not exist for them. */
export async function requireOwnChat({ db, actor }: Needs<'db' | 'actor'>, id: string): Promise<ChatRow> {
  const row = await ownChat(db, actor.user_id, id);
  if (!row) throw notFound('Chat');
  return row;
}
