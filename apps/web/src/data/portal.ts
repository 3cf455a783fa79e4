import {
  addPortalUser,
  checkPortalSlug,
  endPortalUserSessions,
  listPortalUsers,
  removePortalUser,
  resetPortalUser,
} from '@millrace/contracts';
import { api } from './api.ts';
import { answersTo, useChange, useEndpoint } from './endpoint.ts';

export const usePortalUsers = (id: string) => useEndpoint(listPortalUsers, { params: { id } });

/** A change of the people who may sign in to the portal of a workflow. */
const useUserChange = <Change>(id: string, send: (change: Change) => Promise<unknown>) =>
  useChange(send, { renews: [answersTo(listPortalUsers, { params: { id } })] });

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
  useEndpoint(checkPortalSlug, { params: { id }, query: { slug } }, { enabled, retry: false });
