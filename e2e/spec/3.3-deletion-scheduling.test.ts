import type { WorkflowSummary } from '@millrace/contracts';
import { cleanUpDeletions, useTestApp } from '@millrace/server/testing';
import { describe, expect, it } from 'vitest';

const app = await useTestApp();
const owner = await app.user();

const node = (id: string, type: string, active?: unknown) => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data: { label: id, ...(active === undefined ? {} : { active }) },
});

async function workflow(nodes: unknown[], edges: unknown[] = []): Promise<string> {
  const answer = await owner.call('POST', '/api/workflows', { name: 'w', nodes, edges });
  return answer.json<WorkflowSummary>().id;
}

const schedule = (id: string) => owner.call('PUT', `/workflows/${id}/schedule-deletion`);
const exists = async (id: string) => (await owner.call('GET', `/api/workflows/${id}`)).statusCode === 200;

describe('§3.3 workflow deletion scheduling', () => {
  it('§3.3: normal, PUT schedule-deletion: scheduled_for_deletion set, folder_id cleared', async () => {
    const folder = (await owner.call('POST', '/folders', { name: 'f' })).json<{ id: string }>().id;
    const id = await workflow([]);
    await owner.call('PUT', `/folders/${folder}/workflows/${id}`);
    const scheduled = (await schedule(id)).json<WorkflowSummary>();
    expect(scheduled.folder_id).toBeNull();
    expect(scheduled.scheduled_for_deletion).not.toBeNull();
  });

  it('§3.3: scheduled, DELETE schedule-deletion: cleared, and the job leaves it alone', async () => {
    const id = await workflow([node('a', 'textInput', false)]);
    await schedule(id);
    const restored = await owner.call('DELETE', `/workflows/${id}/schedule-deletion`);
    expect(restored.json()).toMatchObject({ scheduled_for_deletion: null });
    await cleanUpDeletions(app.services);
    expect(await exists(id)).toBe(true);
  });

  it.each([
    [
      'every start node has active === false',
      [node('a', 'cron', false), node('b', 'textInput', false)],
      false,
    ],
    ['one start node is active', [node('a', 'cron', false), node('b', 'textInput', true)], true],
    ['active is not set', [node('a', 'cron')], true],
    ['active is the text "false"', [node('a', 'cron', 'false')], true],
    ['only a sticky note is active', [node('a', 'cron', false), node('n', 'sticky', true)], false],
    ['only an error handler is active', [node('a', 'cron', false), node('n', 'errorHandler')], false],
  ])('§3.3: the daily job, %s', async (_, nodes, stays) => {
    const id = await workflow(nodes);
    await schedule(id);
    await cleanUpDeletions(app.services);
    expect(await exists(id)).toBe(stays);
  });

  it('§3.3: a node behind a start node does not count', async () => {
    const nodes = [node('a', 'cron', false), node('b', 'set', true)];
    const id = await workflow(nodes, [{ id: 'e', source: 'a', target: 'b' }]);
    await schedule(id);
    await cleanUpDeletions(app.services);
    expect(await exists(id)).toBe(false);
  });

  it('§3.3: what is not scheduled is never touched', async () => {
    const id = await workflow([node('a', 'cron', false)]);
    await cleanUpDeletions(app.services);
    expect(await exists(id)).toBe(true);
  });

  it('§5.8: a collaborator cannot schedule', async () => {
    const friend = await app.user();
    const id = await workflow([]);
    await owner.call('POST', `/api/workflows/${id}/shares`, { email: friend.email });
    expect((await friend.call('PUT', `/workflows/${id}/schedule-deletion`)).statusCode).toBe(403);
    expect((await friend.call('DELETE', `/workflows/${id}/schedule-deletion`)).statusCode).toBe(403);
  });
});
