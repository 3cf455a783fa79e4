import {
  deleteWorkflowConversation,
  listPortalVisitors,
  listWorkflowConversations,
  readPortalUsage,
  readWorkflowConversation,
} from '@millrace/contracts';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

export const CONVERSATIONS_PER_PAGE = 20;

interface Listed {
  page: number;
  visitor_id?: string | undefined;
}

export const useWorkflowConversations = (id: string, { page, visitor_id }: Listed) =>
  useQuery({
    queryKey: [...keys.portalConversations(id), 'list', visitor_id, page],
    queryFn: ({ signal }) => {
      const paging = { limit: CONVERSATIONS_PER_PAGE, offset: page * CONVERSATIONS_PER_PAGE };
      const query = visitor_id === undefined ? paging : { ...paging, visitor_id };
      return api(listWorkflowConversations, { params: { id }, query }, { signal });
    },
    placeholderData: keepPreviousData,
  });

export const VISITORS_PER_PAGE = 20;

export const usePortalVisitors = (id: string, page: number) =>
  useQuery({
    queryKey: [...keys.portalConversations(id), 'visitors', page],
    queryFn: ({ signal }) => {
      const query = { limit: VISITORS_PER_PAGE, offset: page * VISITORS_PER_PAGE };
      return api(listPortalVisitors, { params: { id }, query }, { signal });
    },
    placeholderData: keepPreviousData,
  });

export const usePortalUsage = (id: string) =>
  useQuery({
    queryKey: [...keys.portalConversations(id), 'usage'],
    queryFn: ({ signal }) => api(readPortalUsage, { params: { id }, query: {} }, { signal }),
  });

export const useWorkflowConversation = (id: string, conversation_id: string) =>
  useQuery({
    queryKey: [...keys.portalConversations(id), conversation_id],
    queryFn: ({ signal }) => api(readWorkflowConversation, { params: { id, conversation_id } }, { signal }),
  });

export function useDeleteWorkflowConversation(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (conversation_id: string) =>
      api(deleteWorkflowConversation, { params: { id, conversation_id } }),
    onSuccess: (_, conversation_id) => {
      client.removeQueries({ queryKey: [...keys.portalConversations(id), conversation_id] });
      return client.invalidateQueries({ queryKey: keys.portalConversations(id) });
    },
  });
}
