import type { HistoryEntry, HistoryList } from '@millrace/contracts';
import { expect, test, vi } from 'vitest';
import { type TestUser, useOwnTestApp } from '../../../testing/test-app.ts';
import { createWorkflow, ECHO, executeUrl, graph } from '../testing/workflows.ts';

const app = await useOwnTestApp();
const owner = await app.user();
const colleague = await app.user();

const list = async (query: string, user = owner) =>
  (await user.call('GET', `/api/workflows/history/all${query}`)).json<HistoryList>().items;
const entry = async (run_id: string, user: TestUser) =>
  (await user.call('GET', `/api/workflows/history/all/${run_id}`)).json<HistoryEntry>();

/** Sharing a workflow does not share the ones that it calls or that call it (§5.8). */
test('a run and those that it called lead to each other, for those who can see both (§5.8)', async () => {
  const child = await createWorkflow(owner, ECHO, { name: 'Child' });
  const calls = graph(
    [
      ['start', 'textInput'],
      ['first', 'execute', { executeWorkflowId: child }],
      ['second', 'execute', { executeWorkflowId: child }],
    ],
    ['start>first', 'first>second'],
  );
  const parent = await createWorkflow(owner, calls, { name: 'Parent' });
  expect((await app.call('POST', executeUrl(parent), { text: 'x' })).statusCode).toBe(200);
  await app.call('POST', executeUrl(child), { text: 'called directly' });
  const [caller] = await list(`?workflow_id=${parent}`);
  const caller_id = caller?.id ?? '';

  const called = await list(`?called_by=${caller_id}`);
  expect(called.map(({ workflow_name }) => workflow_name)).toEqual(['Child', 'Child']);
  const called_id = called[0]?.id ?? '';
  expect((await entry(called_id, owner)).called_by).toEqual({ id: caller_id, workflow_name: 'Parent' });
  expect((await entry(caller_id, owner)).called_by).toBeNull();

  await owner.call('POST', `/api/workflows/${child}/shares`, { email: colleague.email });
  expect((await entry(called_id, colleague)).called_by).toBeNull();
  expect(await list(`?called_by=${caller_id}`, colleague)).toHaveLength(2);
  await owner.call('POST', `/api/workflows/${parent}/shares`, { email: colleague.email });
  expect((await entry(called_id, colleague)).called_by).toMatchObject({ id: caller_id });
});

test('a run that was called without waiting knows its caller too (§6.3)', async () => {
  const child = await createWorkflow(owner, ECHO, { name: 'Long' });
  const calls = graph(
    [
      ['start', 'textInput'],
      ['call', 'execute', { executeWorkflowId: child, executeDoNotWait: true }],
    ],
    ['start>call'],
  );
  const parent = await createWorkflow(owner, calls, { name: 'Dispatcher' });
  expect((await app.call('POST', executeUrl(parent), { text: 'x' })).statusCode).toBe(200);
  const [caller] = await list(`?workflow_id=${parent}`);
  const caller_id = caller?.id ?? '';
  const [called] = await vi.waitUntil(async () => {
    const items = await list(`?called_by=${caller_id.toUpperCase()}`);
    return items.length > 0 && items;
  });
  expect(called).toMatchObject({ workflow_name: 'Long', trigger_source: 'SUB_WORKFLOW' });
  expect((await entry(called?.id ?? '', owner)).called_by).toEqual({
    id: caller_id,
    workflow_name: 'Dispatcher',
  });
  expect(await list(`?called_by=${called?.id}`)).toEqual([]);
});
