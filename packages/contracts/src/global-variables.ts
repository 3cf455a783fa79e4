import { z } from 'zod';
import { idParams, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { sharedBy, teamShareEndpoints, userShareEndpoints } from './shares.ts';
import { keyName } from './text.ts';

/** `auto` keeps a value as it is given; every other type converts it or refuses it. */
export const globalVariableType = z.enum(['auto', 'string', 'number', 'boolean', 'array', 'object']);
export type GlobalVariableType = z.infer<typeof globalVariableType>;

export const globalVariable = z
  .object({
    id: uuid,
    name: z.string(),
    value: z.unknown(),
    value_type: globalVariableType,
    /** Grows with every write; `base_revision` of a change refers to it. */
    revision: z.number().int(),
    created_at: timestamp,
    updated_at: timestamp,
    ...sharedBy,
  })
  .meta({ id: 'GlobalVariable' });
export type GlobalVariable = z.infer<typeof globalVariable>;

const tag = 'Global variables';
const path = '/api/global-variables';

/** Names become keys of `$global`. */
const name = keyName(255);

export const listGlobalVariables = endpoint({
  id: 'listGlobalVariables',
  method: 'GET',
  path,
  tag,
  summary: 'Own variables by name, then those shared with the caller and with their teams',
  auth: 'session',
  response: z.array(globalVariable),
});

export const createGlobalVariable = endpoint({
  id: 'createGlobalVariable',
  method: 'POST',
  path,
  tag,
  summary: 'Create a variable that runs read as `$global.<name>`',
  auth: 'session',
  body: z.object({ name, value: z.unknown().default(''), value_type: globalVariableType.default('auto') }),
  response: globalVariable,
  status: 201,
  errors: ['conflict'],
});

export const bulkDeleteGlobalVariables = endpoint({
  id: 'bulkDeleteGlobalVariables',
  method: 'POST',
  path: `${path}/bulk-delete`,
  tag,
  summary: "Delete own variables; other people's ids are ignored",
  auth: 'session',
  body: z.object({ ids: z.array(uuid).min(1).max(1000) }),
});

export const readGlobalVariable = endpoint({
  id: 'readGlobalVariable',
  method: 'GET',
  path: `${path}/{id}`,
  tag,
  summary: 'One variable',
  auth: 'session',
  params: idParams,
  response: globalVariable,
  errors: ['not_found'],
});

export const updateGlobalVariable = endpoint({
  id: 'updateGlobalVariable',
  method: 'PATCH',
  path: `${path}/{id}`,
  tag,
  summary: 'Change a variable; users it is shared with may change its value, its owner also name and type',
  auth: 'session',
  params: idParams,
  body: z
    .object({
      name: name.nullish(),
      value: z.unknown().optional(),
      value_type: globalVariableType.nullish(),
      /** Adds to a number in one step, so that simultaneous callers all count. */
      increment: z.number().optional(),
      /** Refuses the change when the variable has been written since that revision. */
      base_revision: z.number().int().optional(),
    })
    .refine(
      ({ value, increment }) => value === undefined || increment === undefined,
      'give value or increment, not both',
    ),
  response: globalVariable,
  errors: ['forbidden', 'not_found', 'conflict'],
});

export const deleteGlobalVariable = endpoint({
  id: 'deleteGlobalVariable',
  method: 'DELETE',
  path: `${path}/{id}`,
  tag,
  summary: 'Delete a variable and its shares',
  auth: 'session',
  params: idParams,
  errors: ['forbidden', 'not_found'],
});

const shared = { name: 'globalVariable', path, tag };
export const globalVariableUserShares = userShareEndpoints(shared);
export const globalVariableTeamShares = teamShareEndpoints(shared);

export const globalVariableEndpoints = [
  listGlobalVariables,
  createGlobalVariable,
  bulkDeleteGlobalVariables,
  readGlobalVariable,
  updateGlobalVariable,
  deleteGlobalVariable,
  ...Object.values(globalVariableUserShares),
  ...Object.values(globalVariableTeamShares),
];
