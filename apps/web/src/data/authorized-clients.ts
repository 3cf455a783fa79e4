import { listOauthGrants, revokeOauthGrant } from '@millrace/contracts';
import { api } from './api.ts';
import { useChange, useEndpoint } from './endpoint.ts';

/** MCP clients that may run workflows on behalf of the user. */
export const useAuthorizedClients = () => useEndpoint(listOauthGrants);

export const useRevokeClient = () =>
  useChange((grant_id: string) => api(revokeOauthGrant, { params: { grant_id } }), {
    renews: [listOauthGrants],
  });
