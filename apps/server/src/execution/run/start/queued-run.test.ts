import { expect, test } from 'vitest';
import type { AdmittedRun } from '../../admission/admission.ts';
import type { Principal } from '../../admission/principal.ts';
import { queuedRun } from './queued-run.ts';

const TRIGGER: Principal = { kind: 'trigger', node_id: 'n1', source: 'cron' };

const admitted = (timeout_ms: number | undefined, principal: Principal = TRIGGER) =>
  ({
    workflow: { settings: { id: 'w', timeout_ms }, version: { id: 'v' } },
    principal,
    run_as: 'a',
    input: {},
    trigger_source: 'cron',
  }) as unknown as AdmittedRun;

test('a queued run has the time that its workflow sets, and belongs to the node that started it', () => {
  expect(queuedRun(admitted(5_000), { started_at_ms: 1_000 })).toMatchObject({
    deadline_at_ms: 6_000,
    version_id: 'v',
    trigger_node_id: 'n1',
    trigger_source: 'cron',
    actor_id: 'a',
  });
  expect(queuedRun(admitted(undefined), { started_at_ms: 1_000 }).deadline_at_ms).toBe(null);
});

test('a run that another run starts has its place below it; given options override that', () => {
  const run = { run_id: 'p', root_run_id: 'r', depth: 3 };
  const below = admitted(1, { kind: 'parent_run', cause: 'sub_workflow', run_as: 'a', run });
  expect(queuedRun(below, { started_at_ms: 1 })).toMatchObject({
    parent_run_id: 'p',
    root_run_id: 'r',
    depth: 3,
    trigger_node_id: null,
  });
  expect(queuedRun(below, { started_at_ms: 1, parent_run_id: null }).parent_run_id).toBe(null);
});
