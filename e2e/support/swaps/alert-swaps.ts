import { asOwner, type IdSwap, object } from './swap.ts';

/** A workflow of another person as the one that is looked at, or that is started. */
const swapped = (field: 'workflow_id' | 'target_workflow_id', update: boolean): IdSwap => ({
  make: object('workflow'),
  send: async (world, id) => {
    const own = await world.make('workflow');
    const ids = { workflow_id: own, target_workflow_id: own, [field]: id };
    const body = { name: 'x', kind: 'silence', window_minutes: 60, ...ids };
    return asOwner(
      world,
      update ? ['PUT', `/api/alerts/${await world.make('alert')}`, body] : ['POST', '/api/alerts', body],
    );
  },
  verdict: 'refused',
});

export const alertSwaps: Readonly<Record<string, IdSwap>> = {
  'createAlert body workflow_id': swapped('workflow_id', false),
  'createAlert body target_workflow_id': swapped('target_workflow_id', false),
  'updateAlert body workflow_id': swapped('workflow_id', true),
  'updateAlert body target_workflow_id': swapped('target_workflow_id', true),
};
