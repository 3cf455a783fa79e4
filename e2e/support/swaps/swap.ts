import type { TestUser } from '@millrace/server/testing';
import type { World } from '../matrix-world.ts';

/** An answer, shortened to what the swap is judged by. */
export interface Answered {
  readonly status: number;
  readonly body: string;
}

/** How an id in a query or a body is tried with one's own and with another user's object. */
export interface IdSwap {
  /** The id of a fresh object of the user. */
  readonly make: (world: World, user: TestUser) => Promise<string>;
  /** Calls the endpoint as the owner with that id. */
  readonly send: (world: World, id: string) => Promise<Answered>;
  /**
   * `refused`: a status of 400 or above. `nothing`: a response without the id and without what `traces` names.
   * `untouched`: a response that reports no success, and the object is unchanged.
   */
  readonly verdict: 'refused' | 'nothing' | 'untouched';
  /** Texts by which the object would show in an answer; its id by default. */
  readonly traces?: (world: World, id: string) => Promise<readonly string[]>;
  /** Statuses beside 2xx of a request with an own id, where its answer needs a provider that tests cannot reach. */
  readonly reached?: readonly number[];
  /** With an own object the answer shows the traces, so that their absence says something. */
  readonly shows?: true;
  /** Where the object's owner reads it, to see that it is as it was. */
  readonly read?: (id: string) => string;
}

export const asOwner = async (
  { users }: World,
  request: readonly [method: string, url: string, body?: unknown, headers?: Record<string, string>],
): Promise<Answered> => {
  const answer = await users.owner.call(...request);
  return { status: answer.statusCode, body: answer.body };
};

export const object =
  (kind: Parameters<World['make']>[0]) =>
  (world: World, user: TestUser): Promise<string> =>
    world.make(kind, user);

export const idIn = (answer: { json: <T>() => T }): string => answer.json<{ id: string }>().id;

/** A list that is narrowed by the id. */
export const filtered = (make: IdSwap['make'], url: (id: string) => string): IdSwap => ({
  make,
  send: (world, id) => asOwner(world, ['GET', url(id)]),
  verdict: 'nothing',
});

/** A credential of a provider of models. */
export const model: IdSwap['make'] = async (_world, user) =>
  idIn(
    await user.call('POST', '/api/credentials', {
      name: `m ${Math.random()}`,
      type: 'openai',
      config: { api_key: 'sk-0123456789' },
    }),
  );
