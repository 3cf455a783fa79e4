import { expect, test } from 'vitest';
import type { PublishedWorkflow } from '../workflows/published-workflow.ts';
import { queuedRun } from './queued-run.ts';

const workflowWith = (timeout_ms: number | undefined) =>
  ({ settings: { id: 'w', timeout_ms }, version: { id: 'v' } }) as PublishedWorkflow;
const GIVEN = { trigger_source: 'cron', actor_id: 'a', input: {}, started_at_ms: 1_000 };

test('a run that nobody waits for has the time that its workflow sets', () => {
  expect(queuedRun(workflowWith(5_000), GIVEN)).toMatchObject({ deadline_at_ms: 6_000, version_id: 'v' });
  expect(queuedRun(workflowWith(undefined), GIVEN).deadline_at_ms).toBe(null);
});

test('what is given stands in place of what such a run starts with', () => {
  expect(queuedRun(workflowWith(undefined), { ...GIVEN, depth: 3, parent_run_id: 'p' })).toMatchObject({
    workflow_id: 'w',
    depth: 3,
    parent_run_id: 'p',
    idempotency_key: null,
  });
});
