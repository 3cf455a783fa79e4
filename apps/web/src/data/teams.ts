import {
  addTeamMember,
  createTeam,
  deleteTeam,
  listTeamSharedEntities,
  listTeams,
  readTeam,
  removeTeamMember,
  type TeamDetail,
  updateTeam,
} from '@millrace/contracts';
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

export const teamListQuery = queryOptions({
  queryKey: keys.teams,
  queryFn: ({ signal }) => api(listTeams, {}, { signal }),
});

export const useTeams = () => useQuery(teamListQuery);

export const useTeam = (id: string) =>
  useQuery({ queryKey: keys.team(id), queryFn: () => api(readTeam, { params: { id } }) });

export const useTeamEntities = (id: string) =>
  useQuery({
    queryKey: keys.teamEntities(id),
    queryFn: () => api(listTeamSharedEntities, { params: { id } }),
  });

const renewList = (client: QueryClient) => client.invalidateQueries({ queryKey: keys.teams, exact: true });

interface TeamValues {
  name: string;
  description: string;
}

export function useCreateTeam() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: TeamValues) => api(createTeam, { body }),
    onSuccess: () => renewList(client),
  });
}

export function useUpdateTeam() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: TeamValues & { id: string }) => api(updateTeam, { params: { id }, body }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.teams }),
  });
}

export function useDeleteTeam() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api(deleteTeam, { params: { id } }),
    onSuccess: (_, id) => {
      client.removeQueries({ queryKey: keys.team(id) });
      return renewList(client);
    },
  });
}

function useMembership(id: string, send: (subject: string) => Promise<TeamDetail>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: (team) => {
      client.setQueryData(keys.team(id), team);
      return renewList(client);
    },
  });
}

/** Adds the person of an e-mail address. */
export const useAddMember = (id: string) =>
  useMembership(id, (email) => api(addTeamMember, { params: { id }, body: { email } }));

/** Removes the member with a user id. */
export const useRemoveMember = (id: string) =>
  useMembership(id, (user_id) => api(removeTeamMember, { params: { id, user_id } }));
