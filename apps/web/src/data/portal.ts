import {
  addPortalUser,
  checkPortalSlug,
  endPortalUserSessions,
  listPortalUsers,
  removePortalUser,
  resetPortalUser,
} from '@millrace/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

export const usePortalUsers = (id: string) =>
  useQuery({
    queryKey: keys.portalUsers(id),
    queryFn: ({ signal }) => api(listPortalUsers, { params: { id } }, { signal }),
  });

/** A change of the people who may sign in to the portal of a workflow. */
function useUserChange<Change>(id: string, send: (change: Change) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: () => client.invalidateQueries({ queryKey: keys.portalUsers(id) }),
  });
}

export const useAddPortalUser = (id: string) =>
  useUserChange(id, (body: { username: string; password: string }) =>
    api(addPortalUser, { params: { id }, body }),
  );

export const useResetPortalUser = (id: string) =>
  useUserChange(id, ({ user_id, password }: { user_id: string; password: string }) =>
    api(resetPortalUser, { params: { id, user_id }, body: { password } }),
  );

export const useEndPortalUserSessions = (id: string) =>
  useUserChange(id, (user_id: string) => api(endPortalUserSessions, { params: { id, user_id } }));

export const useRemovePortalUser = (id: string) =>
  useUserChange(id, (user_id: string) => api(removePortalUser, { params: { id, user_id } }));

/** Whether the slug is available for the portal of the workflow. */
export const usePortalSlugCheck = (id: string, slug: string, enabled: boolean) =>
  useQuery({
    queryKey: keys.portalSlug(id, slug),
    enabled,
    retry: false,
    queryFn: ({ signal }) => api(checkPortalSlug, { params: { id }, query: { slug } }, { signal }),
  });
