import {
  deleteWorkflowConversation,
  listPortalVisitors,
  listWorkflowConversations,
  readPortalUsage,
  readWorkflowConversation,
} from '@millrace/contracts';
import { keepPreviousData, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { answersTo, useChange, useEndpoint } from './endpoint.ts';

export const CONVERSATIONS_PER_PAGE = 20;

interface Listed {
  page: number;
  visitor_id?: string | undefined;
}

export const useWorkflowConversations = (id: string, { page, visitor_id }: Listed) =>
  useEndpoint(
    listWorkflowConversations,
    {
      params: { id },
      query: { visitor_id, limit: CONVERSATIONS_PER_PAGE, offset: page * CONVERSATIONS_PER_PAGE },
    },
    { placeholderData: keepPreviousData },
  );

export const VISITORS_PER_PAGE = 20;

export const usePortalVisitors = (id: string, page: number) =>
  useEndpoint(
    listPortalVisitors,
    { params: { id }, query: { limit: VISITORS_PER_PAGE, offset: page * VISITORS_PER_PAGE } },
    { placeholderData: keepPreviousData },
  );

export const usePortalUsage = (id: string) => useEndpoint(readPortalUsage, { params: { id } });

export const useWorkflowConversation = (id: string, conversation_id: string) =>
  useEndpoint(readWorkflowConversation, { params: { id, conversation_id } });

/** All that is shown of the conversations of a portal. */
const SHOWN = [listWorkflowConversations, listPortalVisitors, readPortalUsage, readWorkflowConversation];

export function useDeleteWorkflowConversation(id: string) {
  const client = useQueryClient();
  return useChange(
    (conversation_id: string) => api(deleteWorkflowConversation, { params: { id, conversation_id } }),
    {
      onSuccess: (_, conversation_id) =>
        client.removeQueries({
          queryKey: answersTo(readWorkflowConversation, { params: { id, conversation_id } }),
        }),
      renews: SHOWN.map((endpoint) => answersTo(endpoint, { params: { id } })),
    },
  );
}
