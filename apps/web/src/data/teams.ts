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
import { useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { answersTo, endpointQuery, useChange, useEndpoint, useEndpointChange } from './endpoint.ts';

export const useTeams = () => useEndpoint(listTeams);

export const useTeam = (id: string) => useEndpoint(readTeam, { params: { id } });

export const useTeamEntities = (id: string) => useEndpoint(listTeamSharedEntities, { params: { id } });

export const useCreateTeam = () => useEndpointChange(createTeam, { renews: [listTeams] });

export const useUpdateTeam = () =>
  useEndpointChange(updateTeam, { renews: [listTeams, readTeam, listTeamSharedEntities] });

export function useDeleteTeam() {
  const client = useQueryClient();
  return useChange((id: string) => api(deleteTeam, { params: { id } }), {
    onSuccess: (_, id) => {
      for (const endpoint of [readTeam, listTeamSharedEntities])
        client.removeQueries({ queryKey: answersTo(endpoint, { params: { id } }) });
    },
    renews: [listTeams],
  });
}

function useMembership(id: string, send: (subject: string) => Promise<TeamDetail>) {
  const client = useQueryClient();
  return useChange(send, {
    onSuccess: (team) => client.setQueryData(endpointQuery(readTeam, { params: { id } }).queryKey, team),
    renews: [listTeams],
  });
}

/** Adds the person of an e-mail address. */
export const useAddMember = (id: string) =>
  useMembership(id, (email) => api(addTeamMember, { params: { id }, body: { email } }));

/** Removes the member with a user id. */
export const useRemoveMember = (id: string) =>
  useMembership(id, (user_id) => api(removeTeamMember, { params: { id, user_id } }));
