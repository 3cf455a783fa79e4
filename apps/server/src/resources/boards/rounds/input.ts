import type { JsonObject } from '@millrace/engine';
import type { Db } from '../../../database/database.ts';
import type { HttpInput } from '../../../execution/model/http-input.ts';
import * as cards from '../cards/queries.ts';
import type { BoardRow, ColumnRow } from '../queries.ts';
import type { RoundRow } from './queries.ts';

/** Newest comments that a run gets. */
const MOST_COMMENTS = 50;

export interface CardInput {
  readonly board: BoardRow;
  readonly card: cards.CardRow;
  /** Undefined when it was deleted after its last card had left it. */
  readonly column: ColumnRow | undefined;
  readonly round: RoundRow;
  /** Outputs of the workflow before in the chain; null for the first one. */
  readonly previous_output: JsonObject | null;
}

/**
 * The input that a workflow gets from a card, as the body of a call: `text` (title and content, or the comment of a
 * follow-up before them), `title`, `content`, `comment`, `instructions`, `previous_output` and `card` with everything
 * about it.
 */
export async function cardBody(db: Db, input: CardInput): Promise<JsonObject> {
  const { board, card, column, round, previous_output } = input;
  const [comments, attachments] = await Promise.all([
    cards.newestComments(db, card.id, MOST_COMMENTS),
    cards.listAttachments(db, card.id),
  ]);
  const parts = [round.comment, card.title, card.content];
  return {
    text: parts.filter((part) => part !== null && part !== '').join('\n\n'),
    title: card.title,
    content: card.content,
    comment: round.comment,
    instructions: column?.ai_instructions ?? '',
    previous_output,
    card: {
      id: card.id,
      board_id: board.id,
      board_name: board.name,
      column_id: round.column_id,
      column_name: round.column_name,
      comments: comments.toReversed().map(({ activity, actor_name }) => ({
        author: actor_name,
        content: activity.content,
        created_at: activity.created_at.toISOString(),
      })),
      attachments: attachments.map(({ file }) => ({
        file_id: file.id,
        filename: file.filename,
        mime_type: file.mime_type,
        size_bytes: file.size_bytes,
      })),
    },
  };
}

export const asCall = (body: JsonObject): HttpInput => ({ headers: {}, query: {}, body });
