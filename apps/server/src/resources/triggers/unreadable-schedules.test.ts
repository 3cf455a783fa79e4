import type { SavedWorkflow, Workflow } from '@millrace/contracts';
import type { JsonObject } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '../../testing/test-app.ts';
import { graph } from '../executions/testing/workflows.ts';

const app = await useTestApp();
const owner = await app.user();

const scheduled = (settings: JsonObject) =>
  graph(
    [
      ['every', 'cron', settings],
      ['out', 'output'],
    ],
    ['every>out'],
  );
const BROKEN = scheduled({ cronExpression: 'every monday' });
const READABLE = scheduled({ cronExpression: '0 9 * * 1' });

const create = async (query = '') =>
  (await owner.call('POST', `/api/workflows${query}`, { name: 'Weekly' })).json<Workflow>().id;
const save = (id: string, body: object, query = '') =>
  owner.call('PUT', `/api/workflows/${id}${query}`, body);
const publishedNodes = async (id: string) =>
  (await owner.call('GET', `/api/workflows/${id}`)).json<Workflow>().nodes.map(({ data }) => data);

describe('§6.2: a schedule that cannot be read', () => {
  test.each([
    ['no expression', { cronExpression: 'every monday' }, 'cronExpression'],
    ['a minute that no hour has', { cronExpression: '61 * * * *' }, 'cronExpression'],
    ['an unknown time zone', { cronExpression: '0 9 * * *', timeZone: 'Mars/Base' }, 'timeZone'],
    ['an interval of nothing', { scheduleMode: 'interval', intervalValue: 0 }, 'intervalValue'],
  ])('is not published: %s', async (_, settings, field) => {
    const id = await create();
    await save(id, READABLE);
    const answer = await save(id, scheduled(settings));
    expect(answer.statusCode).toBe(422);
    const [problem] = answer.json<{ detail: { loc: unknown[]; msg: string }[] }>().detail;
    expect(problem?.loc).toEqual(['body', 'nodes', 0, 'data', field]);
    expect(problem?.msg).toContain(`The schedule of "every" cannot be read: ${field} `);
    expect((await publishedNodes(id))[0]).toMatchObject({ cronExpression: '0 9 * * 1' });
  });

  test.each([
    ['an interval', { scheduleMode: 'interval', intervalValue: 5, cronExpression: 'every monday' }],
    ['an expression', { cronExpression: '0 9 * * 1', intervalValue: '' }],
  ])('is not what the form hides beside %s', async (_, settings) => {
    const id = await create();
    expect((await save(id, scheduled(settings))).statusCode).toBe(200);
    const { rows } = await app.services.database.sql.query<{ settings: string }>({
      text: 'SELECT settings FROM triggers WHERE workflow_id = $1',
      values: [id],
    });
    expect(catalog.get('cron')?.params.safeParse(JSON.parse(rows[0]?.settings ?? '')).success).toBe(true);
  });

  test('is kept in a draft, which is refused when it is published', async () => {
    const id = await create();
    expect((await save(id, BROKEN, '?draft=true')).statusCode).toBe(200);
    expect((await owner.call('POST', `/api/workflows/${id}/publish`, {})).statusCode).toBe(422);
    expect((await save(id, READABLE, '?draft=true')).statusCode).toBe(200);
    const published = await owner.call('POST', `/api/workflows/${id}/publish`, {});
    expect(published.json<SavedWorkflow>().unpublished_changes).toBe(false);
  });

  test.each(['', '?draft=true', '?draft=false'])(
    'is imported as a draft, with a warning: %s',
    async (query) => {
      const answer = await owner.call('POST', `/api/workflows/import${query}`, {
        document: BROKEN,
        file_name: 'weekly.json',
      });
      const { workflow, warnings } = answer.json<{ workflow: Workflow; warnings: { field: string }[] }>();
      expect([workflow.published, workflow.unpublished_changes]).toEqual([false, true]);
      expect(warnings.map(({ field }) => field)).toContain('nodes.0.cronExpression');
    },
  );

  test('waits in a node that is switched off, and keeps no setting from being changed', async () => {
    const id = await create();
    expect((await save(id, scheduled({ cronExpression: 'later', active: false }))).statusCode).toBe(200);
    expect((await save(id, { cache_ttl_seconds: 5 })).statusCode).toBe(200);
  });
});
