import type { TestUser } from '@millrace/server/testing';
import type { World } from '../matrix-world.ts';
import { refusingService } from '../refusing-service.ts';
import { asOwner, filtered, type IdSwap, idIn, object } from './swap.ts';

const model = async (user: TestUser): Promise<string> =>
  idIn(
    await user.call('POST', '/api/credentials', {
      name: `m ${Math.random()}`,
      type: 'custom',
      // The answer fails, but it was begun.
      config: { api_key: 'k-0123456789', base_url: refusingService.url },
    }),
  );

const turn = (
  path: string,
  make: (world: World, user: TestUser) => Promise<string>,
  field: 'chat_id' | 'workflow_id' = 'chat_id',
): IdSwap => ({
  make,
  send: async (world, id) => {
    const credential_id = await model(world.users.owner);
    return asOwner(world, ['POST', path, { credential_id, model: 'm', message: 'x', [field]: id }]);
  },
  verdict: 'refused',
});

const editorChat = async (world: World, user: TestUser): Promise<string> =>
  idIn(await user.call('POST', '/api/chats', { workflow_id: await world.make('workflow', user) }));

/** Ids that chats and the assistants take. */
export const chatSwaps: Readonly<Record<string, IdSwap>> = {
  'createChat body workflow_id': {
    make: object('workflow'),
    send: (world, workflow_id) => asOwner(world, ['POST', '/api/chats', { workflow_id }]),
    verdict: 'refused',
  },
  'listChats query workflow_id': {
    ...filtered(
      async (world, user) => {
        const workflow_id = await world.make('workflow', user);
        await user.call('POST', '/api/chats', { workflow_id });
        return workflow_id;
      },
      (id) => `/api/chats?workflow_id=${id}`,
    ),
    shows: true,
  },
  'dashboardChat body chat_id': turn('/api/ai/dashboard-chat', object('chat')),
  'workflowAssistant body chat_id': turn('/api/ai/workflow-assistant', editorChat),
  'workflowAssistant body workflow_id': turn('/api/ai/workflow-assistant', object('workflow'), 'workflow_id'),
};
