import type { TestUser } from '@millrace/server/testing';
import type { World } from '../matrix-world.ts';
import { type Answered, type IdSwap, idIn } from './swap.ts';

/** A visitor of a public portal, and where its owner reads what is kept. */
interface Guest {
  readonly portal: string;
  readonly conversations: string;
  readonly headers: Record<string, string>;
}

const guests = new WeakMap<TestUser, Promise<Guest>>();

async function newGuest(world: World, user: TestUser): Promise<Guest> {
  const workflow_id = await world.make('workflow', user);
  const portal_slug = `swap-${crypto.randomUUID()}`;
  const nodes = [{ id: 'in', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'in' } }];
  await user.call('PUT', `/api/workflows/${workflow_id}`, {
    nodes,
    edges: [],
    portal_enabled: true,
    portal_slug,
  });
  const portal = `/api/portal/${portal_slug}`;
  const begun = await world.app.call('POST', `${portal}/conversations`);
  const { visitor_token } = begun.json<{ visitor_token: string }>();
  return {
    portal,
    conversations: `/api/workflows/${workflow_id}/portal/conversations`,
    headers: { 'x-visitor-token': visitor_token },
  };
}

/** One visitor in a portal of each user. */
function getGuest(world: World, user: TestUser): Promise<Guest> {
  const known = guests.get(user) ?? newGuest(world, user);
  guests.set(user, known);
  return known;
}

async function conversation(world: World, user: TestUser): Promise<string> {
  const { portal, headers } = await getGuest(world, user);
  return idIn(await world.app.call('POST', `${portal}/conversations`, undefined, headers));
}

async function say(
  world: World,
  user: TestUser,
  body: object,
  path = 'execute',
): Promise<Answered & { run: string }> {
  const { portal, headers } = await getGuest(world, user);
  const answer = await world.app.call('POST', `${portal}/${path}`, { inputs: {}, ...body }, headers);
  return { status: answer.statusCode, body: answer.body, run: String(answer.headers['x-execution-id']) };
}

/** Where the owner of a kept message reads it. */
const keptAt = new Map<string, string>();

async function message(world: World, user: TestUser): Promise<string> {
  const conversation_id = await conversation(world, user);
  const { run } = await say(world, user, { conversation_id });
  keptAt.set(run, `${(await getGuest(world, user)).conversations}/${conversation_id}`);
  return run;
}

const calls = (endpoint: string, path: string): Record<string, IdSwap> => ({
  [`${endpoint} body conversation_id`]: {
    make: conversation,
    send: (world, conversation_id) => say(world, world.users.owner, { conversation_id }, path),
    verdict: 'refused',
  },
  // Only a position in the order of the visitor's own conversation.
  [`${endpoint} body replaces`]: {
    make: message,
    send: async (world, replaces) => {
      const conversation_id = await conversation(world, world.users.owner);
      return say(world, world.users.owner, { conversation_id, replaces }, path);
    },
    verdict: 'untouched',
    read: (run) => keptAt.get(run) ?? '',
  },
});

/** Ids that calls of a portal take. */
export const portalSwaps: Readonly<Record<string, IdSwap>> = {
  ...calls('executePortal', 'execute'),
  ...calls('streamPortal', 'execute/stream'),
};
