import { z } from 'zod';
import { emailInput, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';

/** A person that an object is shared with. */
export const userShare = z
  .object({ id: uuid, user_id: uuid, email: z.string(), name: z.string(), shared_at: timestamp })
  .meta({ id: 'UserShare' });
export type UserShare = z.infer<typeof userShare>;

/** A team that an object is shared with. */
export const teamShare = z
  .object({ id: uuid, team_id: uuid, team_name: z.string(), shared_at: timestamp })
  .meta({ id: 'TeamShare' });
export type TeamShare = z.infer<typeof teamShare>;

/** How an object reached the caller, when it is not their own. */
export const sharedBy = {
  is_shared: z.boolean(),
  /** E-mail address of the owner. */
  shared_by: z.string().nullable(),
  /** Name of the team through which the caller has access, when that is the only way. */
  shared_by_team: z.string().nullable(),
};

interface Shared {
  /** First part of the endpoint ids: `credential` gives `listCredentialShares`. */
  readonly name: string;
  /** `/api/credentials/{id}` without the id. */
  readonly path: string;
  readonly tag: string;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const id = z.object({ id: uuid });
export const teamInput = z.object({ team_id: uuid });

/** The endpoints of team shares (§4.6), alike for every kind of object. */
export function teamShareEndpoints<
  Share extends z.ZodType = typeof teamShare,
  Body extends z.ZodType = typeof teamInput,
>(
  { name, path, tag }: Shared,
  share: Share = teamShare as unknown as Share,
  body: Body = teamInput as unknown as Body,
) {
  const of = capital(name);
  const address = `${path}/{id}/team-shares`;
  const errors = ['forbidden', 'not_found'] as const;
  return {
    list: endpoint({
      id: `list${of}TeamShares`,
      method: 'GET',
      path: address,
      tag,
      summary: 'Teams that it is shared with, by name',
      auth: 'session',
      params: id,
      response: z.array(share),
      errors,
    }),
    add: endpoint({
      id: `add${of}TeamShare`,
      method: 'POST',
      path: address,
      tag,
      summary: 'Share it with a team of the caller; returns an existing share unchanged',
      auth: 'session',
      params: id,
      body,
      response: share,
      errors,
    }),
    remove: endpoint({
      id: `remove${of}TeamShare`,
      method: 'DELETE',
      path: `${address}/{team_id}`,
      tag,
      summary: 'End the share with a team',
      auth: 'session',
      params: id.extend({ team_id: uuid }),
      errors,
    }),
    /** The specification lists DELETE at the address of the list too. */
    removeNamed: endpoint({
      id: `removeNamed${of}TeamShare`,
      method: 'DELETE',
      path: address,
      tag,
      summary: 'End the share with the team that the body names',
      auth: 'session',
      params: id,
      body: teamInput,
      errors,
    }),
  };
}

/** The endpoints of user shares (§4.7), alike for every kind of object. */
export function userShareEndpoints<
  Share extends z.ZodType = typeof userShare,
  Body extends z.ZodType = typeof emailInput,
>(
  { name, path, tag }: Shared,
  share: Share = userShare as unknown as Share,
  body: Body = emailInput as unknown as Body,
) {
  const of = capital(name);
  const address = `${path}/{id}/shares`;
  const errors = ['forbidden', 'not_found'] as const;
  return {
    list: endpoint({
      id: `list${of}Shares`,
      method: 'GET',
      path: address,
      tag,
      summary: 'People that it is shared with, by name',
      auth: 'session',
      params: id,
      response: z.array(share),
      errors,
    }),
    add: endpoint({
      id: `add${of}Share`,
      method: 'POST',
      path: address,
      tag,
      summary: 'Share it with the user of an e-mail address; returns an existing share unchanged',
      auth: 'session',
      params: id,
      body,
      response: share,
      errors: ['bad_request', ...errors],
    }),
    remove: endpoint({
      id: `remove${of}Share`,
      method: 'DELETE',
      path: `${address}/{user_id}`,
      tag,
      summary: 'End the share with a person',
      auth: 'session',
      params: id.extend({ user_id: uuid }),
      errors,
    }),
    leave: endpoint({
      id: `leave${of}`,
      method: 'DELETE',
      path: `${address}/me`,
      tag,
      summary: 'Give up your own share; a share with a team stays until you leave the team',
      auth: 'session',
      params: id,
      errors,
    }),
  };
}
