import type { AnswerContent, ChatAnswerState } from '@millrace/contracts';
import type { chatMessages, chats } from '../../database/schema/index.ts';

export type ChatRow = typeof chats.$inferSelect;
export type StoredMessage = typeof chatMessages.$inferSelect;

/** The message that a person sent. */
export interface QuestionContent {
  readonly text: string;
  /** `text` as the model reads it; null for an image, which is sent once and not kept. */
  readonly attachment: { readonly name: string; readonly text: string | null } | null;
}

export interface QuestionRow extends StoredMessage {
  readonly content: QuestionContent;
  readonly state: null;
}

export interface AnswerRow extends StoredMessage {
  readonly content: Omit<AnswerContent, 'state'>;
  readonly state: ChatAnswerState;
}

export type MessageRow = QuestionRow | AnswerRow;

export const isAnswer = (row: MessageRow): row is AnswerRow => row.state !== null;
