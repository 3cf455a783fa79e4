import { z } from 'zod';
import { emailInput, idParams, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { storedName, storedText } from './text.ts';

export const team = z
  .object({
    id: uuid,
    name: z.string(),
    description: z.string().nullable(),
    creator_id: uuid,
    creator_email: z.string(),
    creator_name: z.string(),
    member_count: z.number().int(),
    created_at: timestamp,
  })
  .meta({ id: 'Team' });
export type Team = z.infer<typeof team>;

export const teamMember = z
  .object({
    /** Same as `user_id`: a person is a member of a team at most once. */
    id: uuid,
    user_id: uuid,
    email: z.string(),
    name: z.string(),
    /** E-mail address of the user who added them; null for the creator and when that account is gone. */
    added_by: z.string().nullable(),
    joined_at: timestamp,
  })
  .meta({ id: 'TeamMember' });
export type TeamMember = z.infer<typeof teamMember>;

export const teamDetail = team.extend({ members: z.array(teamMember) }).meta({ id: 'TeamDetail' });
export type TeamDetail = z.infer<typeof teamDetail>;

const named = z.array(z.object({ id: uuid, name: z.string() }));

/** Everything that is shared with a team, by kind (§4.6). */
export const teamSharedEntities = z
  .object({
    workflows: named,
    credentials: named,
    global_variables: named,
    vector_stores: named,
    data_tables: named,
    boards: named,
    skills: named,
    files: named,
    workflow_templates: named,
    node_templates: named,
  })
  .meta({ id: 'TeamSharedEntities' });
export type TeamSharedEntities = z.infer<typeof teamSharedEntities>;

const tag = 'Teams';
const name = storedName(255);
const description = storedText(2_000);

export const listTeams = endpoint({
  id: 'listTeams',
  method: 'GET',
  path: '/api/teams',
  tag,
  summary: 'Teams that the caller belongs to, newest first',
  auth: 'session',
  response: z.array(team),
});

export const createTeam = endpoint({
  id: 'createTeam',
  method: 'POST',
  path: '/api/teams',
  tag,
  summary: 'Create a team; its creator is its first member',
  auth: 'session',
  body: z.object({ name, description: description.nullish() }),
  response: teamDetail,
  status: 201,
});

export const readTeam = endpoint({
  id: 'readTeam',
  method: 'GET',
  path: '/api/teams/{id}',
  tag,
  summary: 'A team with its members',
  auth: 'session',
  params: idParams,
  response: teamDetail,
  errors: ['not_found'],
});

export const listTeamSharedEntities = endpoint({
  id: 'listTeamSharedEntities',
  method: 'GET',
  path: '/api/teams/{id}/shared-entities',
  tag,
  summary: 'What is shared with a team',
  auth: 'session',
  params: idParams,
  response: teamSharedEntities,
  errors: ['not_found'],
});

export const updateTeam = endpoint({
  id: 'updateTeam',
  method: 'PATCH',
  path: '/api/teams/{id}',
  tag,
  summary: 'Rename or describe a team; only its creator may',
  auth: 'session',
  params: idParams,
  body: z.object({ name: name.nullish(), description: description.nullish() }),
  response: team,
  errors: ['forbidden', 'not_found'],
});

export const deleteTeam = endpoint({
  id: 'deleteTeam',
  method: 'DELETE',
  path: '/api/teams/{id}',
  tag,
  summary: 'Delete a team and every share with it; only its creator may',
  auth: 'session',
  params: idParams,
  errors: ['forbidden', 'not_found'],
});

export const addTeamMember = endpoint({
  id: 'addTeamMember',
  method: 'POST',
  path: '/api/teams/{id}/members',
  tag,
  summary: 'Add the user of an e-mail address, who must have an account',
  auth: 'session',
  params: idParams,
  body: emailInput,
  response: teamDetail,
  errors: ['not_found'],
});

export const removeTeamMember = endpoint({
  id: 'removeTeamMember',
  method: 'DELETE',
  path: '/api/teams/{id}/members/{user_id}',
  tag,
  summary: 'Remove a member; the creator stays',
  auth: 'session',
  params: idParams.extend({ user_id: uuid }),
  response: teamDetail,
  errors: ['bad_request', 'not_found'],
});

export const teamEndpoints = [
  listTeams,
  createTeam,
  readTeam,
  listTeamSharedEntities,
  updateTeam,
  deleteTeam,
  addTeamMember,
  removeTeamMember,
];
