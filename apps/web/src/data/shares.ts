import {
  type AnyEndpoint,
  boardTeamShares,
  boardUserShares,
  credentialTeamShares,
  credentialUserShares,
  type DataTablePermission,
  dataTableTeamShares,
  dataTableUserShares,
  globalVariableTeamShares,
  globalVariableUserShares,
  listAvailableCredentials,
  listBoards,
  listDataTables,
  listGlobalVariables,
  listSkills,
  listVectorStores,
  listWorkflows,
  readFolderTree,
  skillTeamShares,
  skillUserShares,
  type TeamShare,
  type UserShare,
  vectorStoreTeamShares,
  vectorStoreUserShares,
  workflowTeamShares,
  workflowUserShares,
} from '@millrace/contracts';
import { useQuery } from '@tanstack/react-query';
import { api } from './api.ts';
import { CREDENTIALS } from './credentials.ts';
import { answersTo, useChange } from './endpoint.ts';

const ENDPOINTS = {
  workflow: { people: workflowUserShares, groups: workflowTeamShares },
  credential: { people: credentialUserShares, groups: credentialTeamShares },
  variable: { people: globalVariableUserShares, groups: globalVariableTeamShares },
  vector_store: { people: vectorStoreUserShares, groups: vectorStoreTeamShares },
  data_table: { people: dataTableUserShares, groups: dataTableTeamShares },
  board: { people: boardUserShares, groups: boardTeamShares },
  skill: { people: skillUserShares, groups: skillTeamShares },
} as const;

/** The kinds that the share dialog can share. */
export type ShareKind = keyof typeof ENDPOINTS;

/** The permission that a share gives, for kinds that tell readers and writers apart. */
interface Permission {
  permission?: DataTablePermission;
}

interface Shares {
  people: (UserShare & Permission)[];
  groups: (TeamShare & Permission)[];
}

/** Both lists are one answer, shown once both are there. */
const sharesKey = (kind: ShareKind, id: string) => [
  ...answersTo(ENDPOINTS[kind].people.list, { params: { id } }),
  'with groups',
];

export const useShares = (kind: ShareKind, id: string) =>
  useQuery({
    queryKey: sharesKey(kind, id),
    queryFn: async (): Promise<Shares> => {
      const { people, groups } = ENDPOINTS[kind];
      const [users, teams] = await Promise.all([
        api(people.list, { params: { id } }),
        api(groups.list, { params: { id } }),
      ]);
      return { people: users, groups: teams };
    },
  });

type ShareChange =
  | ({ add: 'person'; email: string } & Permission)
  | ({ add: 'team'; team_id: string } & Permission)
  | { remove: 'person'; user_id: string }
  | { remove: 'team'; team_id: string };

/** Adds a share of what has readers and writers, or sets what it allows. */
function sendGrant(
  kind: 'data_table' | 'board',
  id: string,
  { permission = 'read', ...change }: Extract<ShareChange, { add: string }>,
) {
  const { people, groups } = ENDPOINTS[kind];
  return change.add === 'person'
    ? api(people.add, { params: { id }, body: { email: change.email, permission } })
    : api(groups.add, { params: { id }, body: { team_id: change.team_id, permission } });
}

function sendChange(kind: ShareKind, id: string, change: ShareChange): Promise<unknown> {
  const { people, groups } = ENDPOINTS[kind];
  if ((kind === 'data_table' || kind === 'board') && 'add' in change) return sendGrant(kind, id, change);
  if ('email' in change) return api(people.add, { params: { id }, body: { email: change.email } });
  if ('user_id' in change) return api(people.remove, { params: { id, user_id: change.user_id } });
  const { team_id } = change;
  return 'add' in change
    ? api(groups.add, { params: { id }, body: { team_id } })
    : api(groups.remove, { params: { id, team_id } });
}

export const useChangeShare = (kind: ShareKind, id: string) =>
  useChange((change: ShareChange) => sendChange(kind, id, change), {
    renewsEvenIfRefused: [sharesKey(kind, id)],
  });

/** The lists of each kind, which no longer have the object that one has left. */
const LISTS: Record<ShareKind, readonly AnyEndpoint[]> = {
  workflow: [listWorkflows, readFolderTree],
  credential: [...CREDENTIALS, listAvailableCredentials],
  variable: [listGlobalVariables],
  vector_store: [listVectorStores],
  data_table: [listDataTables],
  board: [listBoards],
  skill: [listSkills],
};

/** Gives up a share that one has received. */
export const useLeave = (kind: ShareKind) =>
  useChange((id: string) => api(ENDPOINTS[kind].people.leave, { params: { id } }), {
    renewsEvenIfRefused: LISTS[kind],
  });
