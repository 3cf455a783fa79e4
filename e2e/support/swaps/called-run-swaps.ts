import type { TestUser } from '@millrace/server/testing';
import type { World } from '../matrix-world.ts';
import { asOwner, filtered, type IdSwap } from './swap.ts';

/** A run that has called another workflow. */
async function callingRun(world: World, user: TestUser): Promise<string> {
  const executeWorkflowId = await world.make('workflow', user);
  const made = await user.call('POST', '/api/workflows', {
    name: 'calls another',
    nodes: [
      { id: 'a', type: 'textInput', data: { label: 'start' } },
      { id: 'b', type: 'execute', data: { label: 'call', executeWorkflowId } },
    ],
    edges: [{ id: 'e', source: 'a', target: 'b' }],
  });
  const url = `/api/workflows/${made.json<{ id: string }>().id}`;
  await user.call('POST', `${url}/execute`, { text: 'x' });
  const { items } = (await user.call('GET', `${url}/history`)).json<{ items: { id: string }[] }>();
  return items[0]?.id ?? '';
}

export const calledRunSwaps: Readonly<Record<string, IdSwap>> = {
  'deleteAllHistory query workflow_id': {
    make: async (world, user) => world.make('workflow', user),
    send: async (world, id) => asOwner(world, ['DELETE', `/api/workflows/history/all?workflow_id=${id}`]),
    verdict: 'refused',
  },
  'listAllHistory query called_by': filtered(
    callingRun,
    (id) => `/api/workflows/history/all?called_by=${id}`,
  ),
  'listHistory query called_by': {
    make: callingRun,
    send: async (world, id) => {
      const workflow_id = await world.make('workflow', world.users.owner);
      return asOwner(world, ['GET', `/api/workflows/${workflow_id}/history?called_by=${id}`]);
    },
    verdict: 'nothing',
  },
};
