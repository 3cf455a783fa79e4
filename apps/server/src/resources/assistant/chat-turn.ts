import type { AssistantFrame } from '@millrace/contracts';
import { invalidField } from '../../core/app-error.ts';
import type { Context, Services } from '../../services.ts';
import { requireOwnChat } from '../chats/access.ts';
import { beginAnswer } from '../chats/answers/begin-answer.ts';
import { type KeptAnswer, keepAnswer } from '../chats/answers/keep-answer.ts';
import type { ChatRow } from '../chats/rows.ts';
import { asEarlier } from './conversation/history.ts';
import type { Mask } from './tools/tool.ts';
import type { PreparedTurn } from './turn.ts';

/** @throws AppError `not_found` for the chat of another person, `invalid_input` for one of the other assistant */
export async function requireChat(
  ctx: Pick<Context, 'db' | 'actor'>,
  chat_id: string,
  assistant: 'dashboard' | 'editor',
): Promise<ChatRow> {
  const chat = await requireOwnChat(ctx, chat_id);
  if ((chat.workflow_id === null) === (assistant === 'dashboard')) return chat;
  throw invalidField(
    ['body', 'chat_id'],
    assistant === 'dashboard'
      ? 'is a chat of the workflow assistant; name one without a workflow'
      : 'is a chat of the dashboard; name one that was created with a workflow_id',
  );
}

export interface ChatTurn {
  readonly turn: PreparedTurn;
  readonly kept: KeptAnswer;
  /** The names that the chat gives question and answer. */
  readonly first: AssistantFrame;
}

/** Keeps the question of a turn in its chat, whose messages become the history, and opens the answer. */
export async function openChatTurn(
  ctx: Context,
  services: Services,
  { chat, turn, mask, onStop }: { chat: ChatRow; turn: PreparedTurn; mask: Mask; onStop: () => void },
): Promise<ChatTurn> {
  const { text, attachment, decided } = turn.said;
  const question = {
    text,
    attachment: attachment ? { name: attachment.name, text: attachment.text ?? null } : null,
  };
  const { question_id, answer_id, earlier } = await beginAnswer(ctx, chat, {
    question: mask(question),
    decided,
  });
  return {
    turn: { ...turn, earlier: earlier.map(asEarlier) },
    kept: keepAnswer(services, { answer_id, hide: mask, onStop }),
    first: { type: 'chat', chat_id: chat.id, question_id, answer_id },
  };
}
