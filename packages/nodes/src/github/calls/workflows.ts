import { isJsonObject, type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import type { NodeCall } from '../../implement.ts';
import { path } from '../../kit/integration/call-json.ts';
import { readJson, requiredText } from '../../kit/integration/object-input.ts';
import { refusedParam } from '../../kit/refused-param.ts';
import {
  type Act,
  buildRepositoryPath,
  connectGithub,
  type GitHub,
  objectIn,
  type Params,
  pick,
  READ,
} from './connection.ts';

const USUAL_TIMEOUT_S = 600;
const USUAL_INTERVAL_S = 5;

/** https://docs.github.com/en/rest/actions/workflows */
export const WORKFLOWS = {
  async listWorkflows(github) {
    const workflows = await github.list(`${buildRepositoryPath(github.params)}/actions/workflows`, {
      key: 'workflows',
    });
    return { workflows, count: workflows.length };
  },
  async getWorkflow({ params, call }) {
    const workflow = objectIn(await call({ path: buildWorkflowPath(params), ...READ }));
    return { workflow, ...pick(workflow, { id: 'id', name: 'name', path: 'path' }) };
  },
  async enableWorkflow(github) {
    await put(github, 'enable');
    return { workflow_id: requiredText(github.params, 'githubWorkflowId'), enabled: true };
  },
  async disableWorkflow(github) {
    await put(github, 'disable');
    return { workflow_id: requiredText(github.params, 'githubWorkflowId'), disabled: true };
  },
  async getWorkflowUsage({ params, call }) {
    const usage = objectIn(await call({ path: `${buildWorkflowPath(params)}/timing`, ...READ }));
    const workflow_id = requiredText(params, 'githubWorkflowId');
    return { workflow_id, usage, billable: usage['billable'] ?? null };
  },
  dispatchWorkflow: dispatch,
} satisfies Record<string, Act>;

const buildWorkflowPath = (params: Params): string =>
  buildRepositoryPath(params) + path`/actions/workflows/${requiredText(params, 'githubWorkflowId')}`;

async function put({ params, call }: GitHub, action: 'enable' | 'disable'): Promise<void> {
  await call({ method: 'PUT', path: `${buildWorkflowPath(params)}/${action}`, effect: 'idempotent' });
}

async function dispatch({ params, call, isHosted }: GitHub): Promise<JsonObject> {
  const workflow_id = requiredText(params, 'githubWorkflowId');
  const ref = requiredText(params, 'githubBranch');
  const inputs = readJson(params, 'githubWorkflowInputs') ?? {};
  if (!isJsonObject(inputs)) {
    throw refusedParam('githubWorkflowInputs', 'must be a JSON object such as {"version": "1.2"}');
  }
  const { body } = await call({
    method: 'POST',
    path: `${buildWorkflowPath(params)}/dispatches`,
    // Older servers refuse parameters that they do not know, and answer with nothing.
    body: { ref, inputs, ...(isHosted ? { return_run_details: true } : {}) },
    effect: 'unsafe',
  });
  return { workflow_id, ref, inputs, dispatched: true, ...(isJsonObject(body) ? body : {}) };
}

/** Starts a workflow once and asks for its run until that is completed; after a restart it only asks. */
export async function dispatchAndWait(call: NodeCall<Params>): Promise<JsonObject> {
  const { params } = call;
  const steps = {
    latest: await call.step('latest', 'read', async ({ signal }) =>
      latestRun(await connectGithub(call, signal)),
    ),
    dispatched: await call.step(
      'dispatch',
      params.onUnknownOutcome === 'repeat' ? 'idempotent' : 'unsafe',
      async ({ signal }) => dispatch(await connectGithub(call, signal)),
    ),
  };
  const workflow_run = await call.step('end', 'read', async ({ signal }) =>
    waitForEnd(await connectGithub(call, signal), { call, signal, ...steps }),
  );
  return {
    ...steps.dispatched,
    workflow_run_id: workflow_run['id'] ?? null,
    workflow_run,
    completed: true,
    ...pick(workflow_run, { status: 'status', conclusion: 'conclusion' }),
  };
}

interface Started {
  readonly call: NodeCall<Params>;
  readonly signal: AbortSignal;
  /** Id of the run before, 0 when there was none. */
  readonly latest: number;
  readonly dispatched: JsonObject;
}

async function waitForEnd(
  github: GitHub,
  { call, signal, latest, dispatched }: Started,
): Promise<JsonObject> {
  const { services, started_at_ms, params } = call;
  const timeout_s = params.githubWaitTimeoutSeconds ?? USUAL_TIMEOUT_S;
  const interval_ms = (params.githubPollIntervalSeconds ?? USUAL_INTERVAL_S) * 1000;
  const until_ms = started_at_ms + timeout_s * 1000;
  let id = runId(dispatched['workflow_run_id']);
  for (;;) {
    const run: JsonObject | undefined =
      id === undefined ? await runAfter(github, latest) : await fetchRun(github, id);
    if (run?.['status'] === 'completed') return run;
    id = runId(run?.['id']) ?? id;
    const now_ms = services.now();
    if (now_ms >= until_ms) throw timedOut(id, timeout_s);
    await services.sleepUntil(Math.min(now_ms + interval_ms, until_ms), signal);
  }
}

const runId = (value: Json | undefined): number | undefined =>
  typeof value === 'number' ? value : undefined;

function timedOut(id: number | undefined, timeout_s: number): NodeFailure {
  const message =
    id === undefined
      ? `GitHub started the workflow, but no run of it appeared within ${timeout_s} s`
      : `The workflow run ${id} was not completed within ${timeout_s} s`;
  return new NodeFailure({ kind: 'timeout', message });
}

async function fetchRun({ params, call }: GitHub, id: number): Promise<JsonObject> {
  return objectIn(await call({ path: buildRepositoryPath(params) + path`/actions/runs/${id}`, ...READ }));
}

/** https://docs.github.com/en/rest/actions/workflow-runs#list-workflow-runs-for-a-workflow, newest first. */
async function dispatchedRuns({ params, call }: GitHub, per_page: number): Promise<JsonObject[]> {
  const query = { event: 'workflow_dispatch', per_page };
  const { body } = await call({ path: `${buildWorkflowPath(params)}/runs`, query, ...READ });
  const runs = isJsonObject(body) ? body['workflow_runs'] : undefined;
  return Array.isArray(runs) ? runs.filter(isJsonObject) : [];
}

const readRunId = (run: JsonObject): number => runId(run['id']) ?? 0;

async function latestRun(github: GitHub): Promise<number> {
  const [run = {}] = await dispatchedRuns(github, 1);
  return readRunId(run);
}

/** The first run on the same branch or tag that was not there before; ids only grow. */
async function runAfter(github: GitHub, latest: number): Promise<JsonObject | undefined> {
  const ref = github.params.githubBranch.trim().replace(/^refs\/(heads|tags)\//, '');
  const runs = await dispatchedRuns(github, 30);
  return runs
    .filter((run) => readRunId(run) > latest && run['head_branch'] === ref)
    .toSorted((one, two) => readRunId(one) - readRunId(two))[0];
}
