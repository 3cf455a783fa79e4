import { listOauthGrants, revokeOauthGrant } from '@millrace/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

/** MCP clients that may run workflows on behalf of the user. */
export const useAuthorizedClients = () =>
  useQuery({
    queryKey: keys.authorizedClients,
    queryFn: ({ signal }) => api(listOauthGrants, {}, { signal }),
  });

export function useRevokeClient() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (grant_id: string) => api(revokeOauthGrant, { params: { grant_id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.authorizedClients }),
  });
}
