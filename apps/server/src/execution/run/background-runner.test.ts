import { afterEach, describe, expect, test } from 'vitest';
import { newId, newOrderedId } from '../../core/ids.ts';
import { ECHO, graph, until } from '../../resources/executions/testing/workflows.ts';
import { pauseRun, sampleRun, sampleWait } from '../journal/testing/samples.ts';
import type { RunBegin } from '../model/run.ts';
import { createTestEnvironment, type TestEnvironment } from '../testing/run-environment.ts';
import type { PublishedWorkflow } from '../workflows/published-workflow.ts';
import { type BackgroundRunner, createBackgroundRunner } from './background-runner.ts';
import { resumeRun } from './start/run-workflow.ts';

const waiting = (duration: number) =>
  graph(
    [
      ['start', 'textInput'],
      ['pause', 'wait', { duration }],
    ],
    ['start>pause'],
  );

function queuedRun({ settings, version }: PublishedWorkflow, more: Partial<RunBegin> = {}): RunBegin {
  const started_at_ms = Date.now();
  return {
    run_id: newOrderedId(started_at_ms),
    workflow_id: settings.id,
    version_id: version.id,
    trigger_source: 'cron',
    trigger_node_id: null,
    actor_id: settings.owner_id,
    parent_run_id: null,
    root_run_id: null,
    depth: 0,
    idempotency_key: null,
    options: {},
    input: { triggered_by: 'cron' },
    started_at_ms,
    deadline_at_ms: null,
    ...more,
  };
}

let runner: BackgroundRunner | undefined;
afterEach(() => runner?.stopClaiming());

function start(environment: TestEnvironment, concurrency: number): void {
  runner = createBackgroundRunner({
    ...environment,
    resume: (run, workflow) => resumeRun(environment, run, workflow),
    concurrency,
  });
  runner.start();
}

const getStatus = (environment: TestEnvironment, run_id: string) =>
  environment.journal.runs.get(run_id)?.final?.status;
const ended = (environment: TestEnvironment, run_id: string) =>
  until(async () => getStatus(environment, run_id));

describe('the background runner', () => {
  test('executes what is queued, now and later', async () => {
    const environment = createTestEnvironment();
    const workflow = environment.publish(ECHO);
    const before = queuedRun(workflow);
    await environment.ownership.enqueue(before);
    start(environment, 4);
    const after = queuedRun(workflow);
    await environment.ownership.enqueue(after);
    expect(await ended(environment, before.run_id)).toBe('success');
    expect(await ended(environment, after.run_id)).toBe('success');
  });

  /** Six queued runs, and how many of them were begun and not ended at most. */
  async function mostAtOnce(environment: TestEnvironment, workflow: PublishedWorkflow): Promise<number> {
    const runs = Array.from({ length: 6 }, () => queuedRun(workflow));
    for (const run of runs) await environment.ownership.enqueue(run);
    let most = 0;
    const { add } = environment.live;
    Object.assign(environment.live, {
      add: (executor: Parameters<typeof add>[0]) => {
        add(executor);
        most = Math.max(most, environment.live.size);
      },
    });
    start(environment, 2);
    for (const run of runs) expect(await ended(environment, run.run_id)).toBe('success');
    return most;
  }

  test('works on no more runs than it may', async () => {
    const environment = createTestEnvironment({
      nodes: { wait: () => new Promise((resolve) => setTimeout(() => resolve({ output: {} }), 20)) },
    });
    expect(await mostAtOnce(environment, environment.publish(waiting(20)))).toBe(2);
  });

  test('takes more while those that it has only wait', async () => {
    const environment = createTestEnvironment();
    expect(await mostAtOnce(environment, environment.publish(waiting(300)))).toBeGreaterThan(2);
  });

  test('ends a run that was cancelled before it was claimed', async () => {
    const environment = createTestEnvironment();
    const run = queuedRun(environment.publish(waiting(60_000)));
    await environment.ownership.enqueue(run);
    await environment.ownership.requestCancel(run.run_id);
    start(environment, 1);
    expect(await ended(environment, run.run_id)).toBe('cancelled');
  });

  test('says so when the version of a run is gone, and lets the run above continue at once', async () => {
    const environment = createTestEnvironment();
    const { journal, ownership } = environment;
    const above = sampleRun();
    const run = queuedRun(environment.publish(ECHO), { workflow_id: newId(), parent_run_id: above.run_id });
    await pauseRun(journal, above, [sampleWait({ kind: 'child', child_run_id: run.run_id })]);
    await ownership.enqueue(run);
    start(environment, 1);
    expect(await ended(environment, run.run_id)).toBe('error');
    expect(await ownership.listDecisions(above.run_id)).toMatchObject([{ decision: 'ended' }]);
  });

  test('lets a run have its slot while it waits for the child that a crash left in the queue', async () => {
    const environment = createTestEnvironment();
    const child = environment.publish(ECHO);
    const parent = environment.publish(
      graph(
        [
          ['start', 'textInput'],
          ['call', 'execute', { executeWorkflowId: child.settings.id }],
        ],
        ['start>call'],
      ),
    );
    const above = queuedRun(parent);
    const below = queuedRun(child, {
      parent_run_id: above.run_id,
      root_run_id: above.run_id,
      depth: 1,
      idempotency_key: `${above.run_id}:call:`,
    });
    // The parent comes first in the queue and takes the only slot.
    await environment.ownership.enqueue(above);
    await environment.ownership.enqueue(below);
    start(environment, 1);
    expect(await ended(environment, above.run_id)).toBe('success');
    expect(getStatus(environment, below.run_id)).toBe('success');
  });
});
