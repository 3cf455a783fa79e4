import { z } from 'zod';
import { chatAnswer, chatMessage } from './chat-messages.ts';
import { definePage, idParams, page, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { storedName, storedText } from './text.ts';

/** Bounds of the chats of one person; larger ones are refused. */
export const CHAT_LIMITS = {
  title_characters: 120,
  chats: 1_000,
  /** Of one chat. */
  messages: 400,
  /** Answers in progress, all chats together. */
  open_answers: 5,
} as const;

/** A conversation of one person with an assistant, kept on the server. */
export const chat = z
  .object({
    id: uuid,
    /** The workflow whose editor it belongs to; null for the assistant of the dashboard. */
    workflow_id: uuid.nullable(),
    /** The beginning of its first message until it is renamed; null before there is one. */
    title: z.string().nullable(),
    /** An answer is being written. */
    is_answering: z.boolean(),
    created_at: timestamp,
    /** When the last message was sent. */
    updated_at: timestamp,
  })
  .meta({ id: 'Chat' });
export type Chat = z.infer<typeof chat>;

export const chatWithMessages = chat
  .extend({
    /** Oldest first. */
    messages: z.array(chatMessage),
  })
  .meta({ id: 'ChatWithMessages' });
export type ChatWithMessages = z.infer<typeof chatWithMessages>;

export const chatList = definePage(chat).meta({ id: 'ChatList' });
export type ChatList = z.infer<typeof chatList>;

const filters = page.extend({
  workflow_id: uuid.optional().describe('Absent: the chats of the dashboard.'),
  search: storedText(200).trim().optional().describe('Text in the title, in any case.'),
});
export type ChatFilters = z.output<typeof filters>;

const tag = 'Chats';
const path = '/api/chats';

export const listChats = endpoint({
  id: 'listChats',
  method: 'GET',
  path,
  tag,
  summary: 'Own chats with the assistant, those used last first',
  auth: 'session',
  query: filters,
  response: chatList,
});

export const createChat = endpoint({
  id: 'createChat',
  method: 'POST',
  path,
  tag,
  summary: 'Begin a chat; turns of an assistant that name it are kept in it',
  auth: 'session',
  body: z.object({ workflow_id: uuid.nullish() }).nullish(),
  response: chat,
  status: 201,
  errors: ['not_found', 'conflict'],
});

export const readChat = endpoint({
  id: 'readChat',
  method: 'GET',
  path: `${path}/{id}`,
  tag,
  summary: 'A chat with its messages',
  auth: 'session',
  params: idParams,
  response: chatWithMessages,
  errors: ['not_found'],
});

export const readChatAnswer = endpoint({
  id: 'readChatAnswer',
  method: 'GET',
  path: `${path}/{id}/answers/{answer_id}`,
  tag,
  summary: 'One answer of a chat, as far as it was written; for callers who come back to one in progress',
  auth: 'session',
  params: idParams.extend({ answer_id: uuid }),
  response: chatAnswer,
  errors: ['not_found'],
});

export const renameChat = endpoint({
  id: 'renameChat',
  method: 'PATCH',
  path: `${path}/{id}`,
  tag,
  summary: 'Rename a chat',
  auth: 'session',
  params: idParams,
  body: z.object({ title: storedName(CHAT_LIMITS.title_characters) }),
  response: chat,
  errors: ['not_found'],
});

export const decideProposal = endpoint({
  id: 'decideProposal',
  method: 'POST',
  path: `${path}/{id}/answers/{answer_id}/decision`,
  tag,
  summary:
    'Record whether the workflow that an answer proposes was accepted; the workflow itself is not changed',
  auth: 'session',
  params: idParams.extend({ answer_id: uuid }),
  body: z.object({ decision: z.enum(['accepted', 'partly_accepted', 'rejected']) }),
  response: chatAnswer,
  errors: ['not_found', 'conflict'],
});

export const stopChat = endpoint({
  id: 'stopChat',
  method: 'POST',
  path: `${path}/{id}/stop`,
  tag,
  summary: 'Stop the answer in progress, with the runs that it waits for; without one nothing changes',
  auth: 'session',
  params: idParams,
  errors: ['not_found'],
});

export const deleteChat = endpoint({
  id: 'deleteChat',
  method: 'DELETE',
  path: `${path}/{id}`,
  tag,
  summary: 'Delete a chat with its messages; an answer in progress is stopped',
  auth: 'session',
  params: idParams,
  errors: ['not_found'],
});

export const chatEndpoints = [
  listChats,
  createChat,
  readChat,
  readChatAnswer,
  renameChat,
  decideProposal,
  stopChat,
  deleteChat,
];
