import { graph, useTestApp } from '@millrace/server/testing';
import { describe, expect, it } from 'vitest';

const app = await useTestApp();
const user = await app.user();

interface Logged {
  readonly name: string;
  readonly owner_id: string | null;
  readonly payload: string;
}
const logged = async (workflow_id: string) =>
  (
    await app.services.database.sql.query<Logged>({
      text: 'SELECT name, owner_id, payload FROM platform_events WHERE workflow_id = $1 ORDER BY created_at, id',
      values: [workflow_id],
    })
  ).rows.map(({ payload, ...event }) => ({ ...event, payload: JSON.parse(payload) as object }));

const EMPTY = graph([['start', 'textInput']], []);

describe('§6.2 platform events', () => {
  it('§6.2: what is stored of a workflow is in the event log with it, a refused change is not', async () => {
    const made = await user.call('POST', '/api/workflows', { name: 'Watched', ...EMPTY });
    const { id, updated_at } = made.json<{ id: string; updated_at: string }>();
    await user.call('PUT', `/api/workflows/${id}`, { name: 'Renamed' });
    const refused = await user.call('PUT', `/api/workflows/${id}`, {
      name: 'Lost',
      base_updated_at: updated_at,
    });
    expect(refused.statusCode).toBe(409);
    const same = await user.call('PUT', `/api/workflows/${id}`, { name: 'Renamed' });
    expect(same.statusCode).toBe(200);
    await user.call('DELETE', `/api/workflows/${id}`);
    const about = (name: string) => ({
      workflow_id: id,
      name,
      owner_id: user.id,
      actor_user_id: user.id,
      updated_at: expect.stringMatching(/^\d{4}-/),
    });
    expect(await logged(id)).toEqual([
      { name: 'workflow.created', owner_id: user.id, payload: about('Watched') },
      { name: 'workflow.updated', owner_id: user.id, payload: about('Renamed') },
      { name: 'workflow.deleted', owner_id: user.id, payload: about('Renamed') },
    ]);
  });

  it('§6.2: a trigger is stored and listed like the others, also under its other type name', async () => {
    const events = graph([['in', 'heymTrigger', { eventNames: ['workflow.deleted'] }]], []);
    const made = await user.call('POST', '/api/workflows', { name: 'Listener', ...events });
    expect(made.statusCode, made.body).toBe(201);
    const { id } = made.json<{ id: string }>();
    const list = await user.call('GET', `/api/triggers?workflow_id=${id}`);
    expect(list.json()).toMatchObject([
      { node_id: 'in', type: 'platformEventTrigger', kind: 'event', state: 'new', lag_ms: 0 },
    ]);
  });

  it('§6.2: the end of a run is in the event log where another workflow of the owner names it', async () => {
    const watched = await user.call('POST', '/api/workflows', { name: 'Watched run', ...EMPTY });
    const { id } = watched.json<{ id: string }>();
    const run = () => user.call('POST', `/api/workflows/${id}/execute`, { text: 'x' });
    await run();
    const watcher = graph([['in', 'platformEventTrigger', { eventNames: ['run.finished'] }]], []);
    await user.call('POST', '/api/workflows', { name: 'Watcher', ...watcher });
    const told = (await run()).headers['x-execution-id'];
    const ends = (await logged(id)).filter(({ name }) => name === 'run.finished');
    expect(ends).toMatchObject([{ owner_id: user.id, payload: { run_id: told, status: 'success' } }]);
  });
});
