import type { TestUser } from '@millrace/server/testing';
import type { World } from '../matrix-world.ts';
import { asOwner, type IdSwap, object } from './swap.ts';

/** The list, and a word that only traces have: the ids of a filter show in it by themselves. */
const list = (field: string, make: (world: World, user: TestUser) => Promise<string>): IdSwap => ({
  make: async (world, user) => {
    const id = await make(world, user);
    const call = {
      request_type: 'chat' as const,
      model: `model of ${field}`,
      request: {},
      response: {},
      error: null,
      usage: null,
      started_at_ms: world.app.clock.now,
      elapsed_ms: 1,
    };
    world.app.services.traces.note(call, {
      user_id: user.id,
      source: 'workflow',
      credential: field === 'credential_id' ? { id, name: 'c' } : null,
      workflow: field === 'workflow_id' ? { id, name: 'w' } : undefined,
      run_id: field === 'run_id' ? id : undefined,
    });
    await world.app.services.traces.flush();
    return id;
  },
  send: (world, id) => asOwner(world, ['GET', `/api/traces?${field}=${id}`]),
  verdict: 'nothing',
  traces: async () => [`model of ${field}`],
  shows: true,
});

/** Ids that the list of traces takes. */
export const traceSwaps: Readonly<Record<string, IdSwap>> = {
  'readTraceCosts query workflow_id': {
    make: object('workflow'),
    send: (world, id) => asOwner(world, ['GET', `/api/traces/costs?workflow_id=${id}`]),
    verdict: 'refused',
  },
  'readBudgetUse query run_id': {
    make: async () => crypto.randomUUID(),
    send: async (world, id) =>
      asOwner(world, ['GET', `/api/workflows/${await world.make('workflow')}/budget-use?run_id=${id}`]),
    verdict: 'nothing',
  },
  'listTraces query credential_id': list('credential_id', (world, user) => world.make('credential', user)),
  'listTraces query workflow_id': list('workflow_id', (world, user) => world.make('workflow', user)),
  'listTraces query run_id': list('run_id', async () => crypto.randomUUID()),
};
