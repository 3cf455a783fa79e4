import {
  addPortalUser,
  endPortalUserSessions,
  listPortalUsers,
  readPortalInfo,
  removePortalUser,
  resetPortalUser,
} from '@millrace/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, api } from './api.ts';
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

/** Whether an open portal has the slug. One that is switched off keeps its slug, too, which only saving reveals. */
export const usePortalSlugTaken = (slug: string, enabled: boolean) =>
  useQuery({
    queryKey: keys.portalSlug(slug),
    enabled,
    retry: false,
    queryFn: async ({ signal }) => {
      try {
        await api(readPortalInfo, { params: { slug } }, { signal });
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return false;
        throw error;
      }
    },
  });
