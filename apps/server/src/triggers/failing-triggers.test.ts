import { receivers } from '@millrace/nodes/runtime';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { describeOnPostgres } from '../execution/journal/testing/databases.ts';
import { createWorkflow, ECHO } from '../resources/executions/testing/workflows.ts';
import { createTriggerReports } from './failing-triggers.ts';
import { type ArmedTrigger, createTriggerWorld, type TriggerWorld } from './testing/world.ts';

// Several processes look in turn, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const POLL_MS = 5_000;
const HOUR_MS = 3_600_000;
const WORKS = { eventNames: ['workflow.deleted'] };
const FAILS = { eventNames: ['workflow.painted'] };

describeOnPostgres('§6.2 the error workflow of a workflow with a trigger that fails', () => {
  let world: TriggerWorld;
  beforeAll(async () => {
    world = await createTriggerWorld({ receivers: [...receivers.values()], processes: 3 });
  }, 60_000);
  afterAll(() => world.close());

  const looks = () => world.apps.map(({ services }) => createTriggerReports(services));

  async function hostLook(): Promise<void> {
    world.passTime(POLL_MS);
    for (const host of world.hosts) {
      await host.tick();
      await host.settled();
    }
  }

  /** An armed trigger of a workflow with an error workflow. */
  async function watched(settings: { eventNames: string[] }) {
    const handler = await createWorkflow(world.user, ECHO);
    const trigger = await world.arm('platformEventTrigger', settings);
    await setHandler(trigger, handler);
    return { trigger, handler };
  }

  async function setHandler({ workflow_id }: ArmedTrigger, error_workflow_id: string): Promise<void> {
    const url = `/api/workflows/${workflow_id}`;
    const { statusCode, body } = await world.user.call('PUT', url, { error_workflow_id });
    expect(statusCode, body).toBe(200);
  }

  const loadRuns = (workflow_id: string) => world.loadInputs({ id: '', workflow_id, node_id: '' });
  const dueEvents = async () => {
    const text = 'SELECT 1 FROM platform_events WHERE error_run_due';
    return (await world.app.services.database.sql.query({ text })).rows.length;
  };

  test('starts once on three processes at once, and says what failed', async () => {
    const { trigger, handler } = await watched(FAILS);
    await hostLook();
    expect((await world.readFacts(trigger)).state).toBe('failing');
    await Promise.all(looks().map((look) => look()));
    await Promise.all(looks().map((look) => look()));
    expect(await loadRuns(handler)).toEqual([
      {
        headers: {},
        query: {},
        body: {
          workflow_id: trigger.workflow_id,
          workflow_name: 'Armed',
          run_id: null,
          trigger_node_id: 'start',
          failed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
          error: expect.stringContaining('eventNames'),
          errorNode: 'start',
          errorNodeType: 'platformEventTrigger',
        },
      },
    ]);
    const { rows } = await world.app.services.database.sql.query({
      text: 'SELECT trigger_source, actor_id FROM runs WHERE workflow_id = $1',
      values: [handler],
    });
    expect(rows).toEqual([{ trigger_source: 'error_workflow', actor_id: world.user.id }]);
  });

  test('starts again when the trigger worked in between and fails later', async () => {
    const { trigger, handler } = await watched(FAILS);
    const [look = () => Promise.resolve()] = looks();
    await hostLook();
    await look();
    await world.change(trigger, FAILS);
    await hostLook();
    await look();
    expect(await loadRuns(handler)).toHaveLength(1);
    await world.change(trigger, WORKS);
    await hostLook();
    expect((await world.readFacts(trigger)).failures).toBe(0);
    world.passTime(HOUR_MS);
    await world.change(trigger, FAILS);
    await hostLook();
    await look();
    expect(await loadRuns(handler)).toHaveLength(2);
  });

  test('a process that is killed before the run is stored leaves it to another one', async () => {
    const { handler } = await watched(FAILS);
    await hostLook();
    const [first, second] = world.apps;
    if (!first || !second) throw new Error('three processes');
    const { database } = first.services;
    const dying = {
      ...first.services,
      database: {
        ...database,
        journal: {
          query: database.journal.query.bind(database.journal),
          transaction: () => Promise.reject(new Error('killed')),
        },
      },
    };
    await createTriggerReports(dying)();
    expect(await loadRuns(handler)).toEqual([]);
    await createTriggerReports(second.services)();
    expect(await loadRuns(handler)).toHaveLength(1);
  });

  test('is not due any more where none is set', async () => {
    await world.arm('platformEventTrigger', FAILS);
    await hostLook();
    expect(await dueEvents()).toBe(1);
    await createTriggerReports(world.app.services)();
    expect(await dueEvents()).toBe(0);
  });
});
