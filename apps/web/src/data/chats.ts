import {
  type ChatAnswer,
  type ChatWithMessages,
  decideProposal,
  deleteChat,
  listChats,
  readChat,
  readChatAnswer,
  renameChat,
} from '@millrace/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import {
  answersTo,
  callById,
  endpointPages,
  endpointQuery,
  renew,
  useChange,
  useEndpointChange,
} from './endpoint.ts';

const PAGE = 50;
/** How soon words of an answer are seen that is not streamed to this page. */
const LOOK_EVERY_MS = 1_000;

interface ChatFilters {
  workflow_id?: string | undefined;
  search?: string | undefined;
}

/** Chats by their last use, page by page. */
export const chatListQuery = ({ workflow_id, search }: ChatFilters) =>
  endpointPages(listChats, {
    first: 0,
    ask: (offset) => ({
      query: { workflow_id: workflow_id || undefined, search: search || undefined, offset, limit: PAGE },
    }),
    next: ({ offset, total, items }) =>
      items.length > 0 && offset + items.length < total ? offset + items.length : undefined,
  });

export const chatQuery = (id: string) => endpointQuery(readChat, { params: { id } });

const partsOfChat = (id: string) =>
  [readChat, readChatAnswer].map((part) => answersTo(part, { params: { id } }));

/** Reads an answer that the server is writing until it is complete, and puts it into its chat. */
export function useAnswerInProgress(id: string, answer_id: string | undefined): void {
  const client = useQueryClient();
  const sent = { params: { id, answer_id: answer_id ?? '' } };
  useQuery({
    queryKey: answersTo(readChatAnswer, sent),
    enabled: answer_id !== undefined,
    refetchInterval: LOOK_EVERY_MS,
    queryFn: async ({ signal }) => {
      const answer = await api(readChatAnswer, sent, { signal });
      client.setQueryData(chatQuery(id).queryKey, (chat) => chat && withAnswer(chat, answer));
      return answer;
    },
  });
}

const withAnswer = (chat: ChatWithMessages, answer: ChatAnswer): ChatWithMessages => ({
  ...chat,
  messages: chat.messages.map((message) => (message.id === answer.id ? answer : message)),
});

export const useRenameChat = () =>
  useEndpointChange(renameChat, { renews: [listChats, readChat, readChatAnswer] });

export function useDeleteChat() {
  const client = useQueryClient();
  return useChange(callById(deleteChat), {
    onSuccess: (_, id) => {
      for (const queryKey of partsOfChat(id)) client.removeQueries({ queryKey });
    },
    renews: [listChats],
  });
}

export type ProposalDecision = 'accepted' | 'partly_accepted' | 'rejected';

interface DecidedProposal {
  /** Of the chat. */
  id: string;
  answer_id: string;
  decision: ProposalDecision;
}

const withoutProposal = (
  chat: ChatWithMessages,
  { answer_id, decision }: DecidedProposal,
): ChatWithMessages => ({
  ...chat,
  messages: chat.messages.map((message) =>
    message.role === 'user' || message.id !== answer_id
      ? message
      : {
          ...message,
          parts: message.parts.map((part) =>
            part.kind === 'proposal' ? { ...part, proposed: null, decision } : part,
          ),
        },
  ),
});

/** Shows at once that a proposal was decided, so that it is not accepted twice. */
export function useDecideProposal() {
  const client = useQueryClient();
  return useChange(
    ({ id, answer_id, decision }: DecidedProposal) =>
      api(decideProposal, { params: { id, answer_id }, body: { decision } }),
    {
      onMutate: (decided) => {
        client.setQueryData(chatQuery(decided.id).queryKey, (chat) => chat && withoutProposal(chat, decided));
      },
      onError: (_, { id }) => renew(client, partsOfChat(id)),
    },
  );
}
