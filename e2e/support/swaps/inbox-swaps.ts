import type { TestUser } from '@millrace/server/testing';
import type { World } from '../matrix-world.ts';
import { asOwner, filtered, type IdSwap } from './swap.ts';

/** A run that failed, and so is in the inbox. */
async function failedRun(world: World, user: TestUser): Promise<{ workflow_id: string; run_id: string }> {
  const workflow_id = await world.make('workflow', user);
  const nodes = [
    { id: 'in', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'in' } },
    { id: 'stop', type: 'throwError', position: { x: 0, y: 0 }, data: { label: 'stop', errorMessage: 'no' } },
  ];
  const edges = [{ id: 'e', source: 'in', target: 'stop' }];
  await user.call('PUT', `/api/workflows/${workflow_id}`, { nodes, edges });
  await user.call('POST', `/api/workflows/${workflow_id}/execute`, { text: 'x' });
  const list = await user.call('GET', `/api/workflows/${workflow_id}/history`);
  return { workflow_id, run_id: list.json<{ items: { id: string }[] }>().items[0]?.id ?? '' };
}

async function dismissedRun(world: World, user: TestUser): Promise<string> {
  const { run_id } = await failedRun(world, user);
  await user.call('POST', '/api/inbox/dismiss', { execution_ids: [run_id] });
  return run_id;
}

/** A delivery that was sent to a webhook that is switched off. */
async function refusedDelivery(world: World, user: TestUser): Promise<string> {
  const node_id = `hook-${Math.random()}`;
  const data = { label: 'hook', active: false };
  const nodes = [
    { id: node_id, type: 'webhookTrigger', position: { x: 0, y: 0 }, data },
    { id: 'out', type: 'output', position: { x: 0, y: 0 }, data: { label: 'out', message: 'done' } },
  ];
  const edges = [{ id: 'e', source: node_id, target: 'out' }];
  const workflow_id = await world.make('workflow', user);
  const put = (content: object) => user.call('PUT', `/api/workflows/${workflow_id}`, { ...content, edges });
  await put({ nodes });
  await user.call('POST', `/api/webhooks/${node_id}`, {});
  await put({ nodes: nodes.map((node) => ({ ...node, data: { ...node.data, active: true } })) });
  const list = await user.call('GET', `/api/inbox?workflow_id=${workflow_id}`);
  return list.json<{ items: { execution_id: string }[] }>().items[0]?.execution_id ?? '';
}

/** Makes a run of the workflow that asks for a review. Resolves to the id of the review. */
export async function askForReview(user: TestUser, workflow_id: string): Promise<string> {
  const position = { x: 0, y: 0 };
  const nodes = [
    { id: 'in', type: 'textInput', position, data: { label: 'in' } },
    { id: 'ask', type: 'humanReview', position, data: { label: 'ask', draft: 'Dear Ada' } },
  ];
  const edges = [{ id: 'e', source: 'in', target: 'ask' }];
  await user.call('PUT', `/api/workflows/${workflow_id}`, { nodes, edges });
  await user.call('POST', `/api/workflows/${workflow_id}/execute`, {});
  const list = await user.call('GET', `/api/reviews?workflow_id=${workflow_id}`);
  return list.json<{ items: { id: string }[] }>().items[0]?.id ?? '';
}

/** Ids that the inbox and replay jobs take. */
export const inboxSwaps: Readonly<Record<string, IdSwap>> = {
  'listInbox query workflow_id': {
    ...filtered(
      async (world, user) => (await failedRun(world, user)).workflow_id,
      (id) => `/api/inbox?workflow_id=${id}`,
    ),
    shows: true,
  },
  // Only a position in the order.
  'listInbox query before': filtered(
    async (world, user) => (await failedRun(world, user)).run_id,
    (id) => `/api/inbox?before=${id}`,
  ),
  'listOpenReviews query workflow_id': {
    ...filtered(
      async (world, user) => {
        const workflow_id = await world.make('workflow', user);
        await askForReview(user, workflow_id);
        return workflow_id;
      },
      (id) => `/api/reviews?workflow_id=${id}`,
    ),
    shows: true,
  },
  'dismissEntries body execution_ids[]': {
    make: async (world, user) => (await failedRun(world, user)).run_id,
    send: (world, id) => asOwner(world, ['POST', '/api/inbox/dismiss', { execution_ids: [id] }]),
    verdict: 'untouched',
    read: () => '/api/inbox',
  },
  'restoreEntries body execution_ids[]': {
    make: dismissedRun,
    send: (world, id) => asOwner(world, ['POST', '/api/inbox/restore', { execution_ids: [id] }]),
    verdict: 'untouched',
    read: () => '/api/inbox?dismissed=true',
  },
  'sendDeliveries body delivery_ids[]': {
    make: refusedDelivery,
    send: (world, id) => asOwner(world, ['POST', '/api/inbox/send', { delivery_ids: [id] }]),
    verdict: 'untouched',
    read: () => '/api/inbox',
  },
  // Whether the ids may be run again is decided when it is their turn; until then the job is a list that changes nothing.
  'createReplayJob body execution_ids[]': {
    make: async (world, user) => (await failedRun(world, user)).run_id,
    send: (world, id) => asOwner(world, ['POST', '/api/replays', { execution_ids: [id] }]),
    verdict: 'untouched',
    read: () => '/api/inbox',
  },
  'createReplayJob body filter.workflow_id': {
    make: async (world, user) => (await failedRun(world, user)).workflow_id,
    send: (world, workflow_id) => asOwner(world, ['POST', '/api/replays', { filter: { workflow_id } }]),
    verdict: 'refused',
  },
};
