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
import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

const PAGE = 50;
/** How soon words of an answer are seen that is not streamed to this page. */
const LOOK_EVERY_MS = 1_000;

interface ChatFilters {
  workflow_id?: string | undefined;
  search?: string | undefined;
}

/** Chats by their last use, page by page. */
export const chatListQuery = ({ workflow_id, search }: ChatFilters) =>
  infiniteQueryOptions({
    queryKey: [...keys.chatList, { workflow_id, search }],
    queryFn: ({ pageParam, signal }) =>
      api(
        listChats,
        {
          query: {
            ...(workflow_id ? { workflow_id } : {}),
            ...(search ? { search } : {}),
            offset: pageParam,
            limit: PAGE,
          },
        },
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: ({ offset, total, items }) =>
      items.length > 0 && offset + items.length < total ? offset + items.length : undefined,
  });

export const chatQuery = (id: string) =>
  queryOptions({
    queryKey: keys.chat(id),
    queryFn: ({ signal }) => api(readChat, { params: { id } }, { signal }),
  });

/** Reads an answer that the server is writing until it is complete, and puts it into its chat. */
export function useAnswerInProgress(id: string, answer_id: string | undefined): void {
  const client = useQueryClient();
  useQuery({
    queryKey: [...keys.chat(id), 'answer', answer_id],
    enabled: answer_id !== undefined,
    refetchInterval: LOOK_EVERY_MS,
    queryFn: async ({ signal }) => {
      const answer = await api(readChatAnswer, { params: { id, answer_id: answer_id ?? '' } }, { signal });
      client.setQueryData<ChatWithMessages>(keys.chat(id), (chat) => chat && withAnswer(chat, answer));
      return answer;
    },
  });
}

const withAnswer = (chat: ChatWithMessages, answer: ChatAnswer): ChatWithMessages => ({
  ...chat,
  messages: chat.messages.map((message) => (message.id === answer.id ? answer : message)),
});

export function useRenameChat() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, title }: { id: string; title: string }) =>
      api(renameChat, { params: { id }, body: { title } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.chats }),
  });
}

export function useDeleteChat() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api(deleteChat, { params: { id } }),
    onSuccess: (_, id) => {
      client.removeQueries({ queryKey: keys.chat(id) });
      return client.invalidateQueries({ queryKey: keys.chatList });
    },
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
  return useMutation({
    mutationFn: ({ id, answer_id, decision }: DecidedProposal) =>
      api(decideProposal, { params: { id, answer_id }, body: { decision } }),
    onMutate: (decided) => {
      client.setQueryData<ChatWithMessages>(
        keys.chat(decided.id),
        (chat) => chat && withoutProposal(chat, decided),
      );
    },
    onError: (_, { id }) => client.invalidateQueries({ queryKey: keys.chat(id) }),
  });
}
