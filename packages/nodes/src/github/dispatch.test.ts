import type { JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { TEST_NOW } from '../testing/run-node.ts';
import { type Routes, runGithub } from './testing/github-api.ts';

const WORKFLOW = '/repos/octo/hello/actions/workflows/ci.yml';
const STARTED = { workflow_run_id: 30_433_642, run_url: 'https://api', html_url: 'https://web' };
const dispatch = {
  githubOperation: 'dispatchWorkflow',
  githubWorkflowId: 'ci.yml',
  githubBranch: 'main',
  githubWorkflowInputs: '{"version": "1.2"}',
};
const waiting = { ...dispatch, githubOperation: 'dispatchWorkflowAndWait', githubPollIntervalSeconds: '5' };
const DISPATCHED = {
  workflow_id: 'ci.yml',
  ref: 'main',
  inputs: { version: '1.2' },
  dispatched: true,
};

// https://docs.github.com/en/rest/actions/workflows#create-a-workflow-dispatch-event
test('github.com is asked for the run and tells its id', async () => {
  const { result, seen } = await runGithub(
    dispatch,
    { [`POST ${WORKFLOW}/dispatches`]: { body: STARTED } },
    { isHosted: true },
  );
  expect(result).toEqual({
    output: { success: true, operation: 'dispatchWorkflow', ...DISPATCHED, ...STARTED },
  });
  expect(seen[0]?.body).toEqual({ ref: 'main', inputs: { version: '1.2' }, return_run_details: true });
});

test('an own server is sent only what every release knows, and answers with nothing', async () => {
  const { result, seen } = await runGithub(dispatch, {
    [`POST ${WORKFLOW}/dispatches`]: { status: 204, body: '' },
  });
  expect(result).toEqual({ output: { success: true, operation: 'dispatchWorkflow', ...DISPATCHED } });
  expect(seen[0]?.body).toEqual({ ref: 'main', inputs: { version: '1.2' } });
});

const run = (id: number, status: string, more: JsonObject = {}) => ({
  id,
  status,
  head_branch: 'main',
  conclusion: status === 'completed' ? 'success' : null,
  ...more,
});

/** Answers one after another, the last one for ever. */
const inTurn = (...bodies: JsonObject[]) => {
  let at = 0;
  return () => ({ body: bodies[Math.min(at++, bodies.length - 1)] });
};

test('the run of that id is asked for until it is completed', async () => {
  const { result, trace } = await runGithub(
    waiting,
    {
      [`GET ${WORKFLOW}/runs`]: { body: { workflow_runs: [run(7, 'completed')] } },
      [`POST ${WORKFLOW}/dispatches`]: { body: STARTED },
      'GET /repos/octo/hello/actions/runs/30433642': inTurn(
        run(30_433_642, 'queued'),
        run(30_433_642, 'in_progress'),
        run(30_433_642, 'completed', { conclusion: 'failure' }),
      ),
    },
    { isHosted: true },
  );
  expect(result).toMatchObject({
    output: {
      ...DISPATCHED,
      workflow_run_id: 30_433_642,
      completed: true,
      status: 'completed',
      conclusion: 'failure',
      workflow_run: { id: 30_433_642 },
    },
  });
  expect(trace.steps).toEqual(['latest', 'dispatch', 'end']);
  expect(trace.slept_until).toEqual([TEST_NOW + 5000, TEST_NOW + 5000]);
});

test('without an id the first new run of the branch is the one', async () => {
  const routes: Routes = {
    [`GET ${WORKFLOW}/runs`]: inTurn(
      { workflow_runs: [run(7, 'completed')] },
      { workflow_runs: [run(7, 'completed')] },
      {
        workflow_runs: [
          run(10, 'queued'),
          run(9, 'in_progress'),
          run(8, 'completed', { head_branch: 'other' }),
          run(7, 'completed'),
        ],
      },
    ),
    [`POST ${WORKFLOW}/dispatches`]: { status: 204, body: '' },
    'GET /repos/octo/hello/actions/runs/9': inTurn(run(9, 'completed')),
  };
  const { result, seen } = await runGithub({ ...waiting, githubBranch: 'refs/heads/main' }, routes);
  expect(result).toMatchObject({ output: { workflow_run_id: 9, conclusion: 'success' } });
  expect(seen[0]?.query).toEqual({ event: 'workflow_dispatch', per_page: '1' });
});

test('a run that takes too long fails with its id and is not started again', async () => {
  let now = TEST_NOW;
  const { result, seen } = await runGithub(
    { ...waiting, githubWaitTimeoutSeconds: '10' },
    {
      [`GET ${WORKFLOW}/runs`]: { body: { workflow_runs: [] } },
      [`POST ${WORKFLOW}/dispatches`]: { body: STARTED },
      'GET /repos/octo/hello/actions/runs/30433642': { body: run(30_433_642, 'queued') },
    },
    { isHosted: true, now: () => (now += 4000) },
  );
  expect(result).toMatchObject({
    failure: { kind: 'timeout', message: 'The workflow run 30433642 was not completed within 10 s' },
  });
  expect(seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
});

test('inputs must be an object, which is checked before anything is started', async () => {
  const { result, seen } = await runGithub({ ...dispatch, githubWorkflowInputs: '[1]' }, {});
  expect(result).toMatchObject({ failure: { kind: 'params', field: 'githubWorkflowInputs' } });
  expect(seen).toEqual([]);
});
