import type {
  AuditEntry,
  EvalRun,
  EvalSuite,
  GateSuite,
  HistoryItem,
  PublishGate,
  SavedWorkflow,
  Workflow,
  WorkflowVersionSummary,
} from '@millrace/contracts';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { TestUser } from '../../testing/test-app.ts';
import { createEvalWorld, createSuite, pass, RUNS, SUITES, says } from '../evals/testing/world.ts';
import { graph } from '../executions/testing/workflows.ts';
import { shareWith } from '../workflows/testing/sharing.ts';

/** Answers each input with a prefix before it. */
const saying = (prefix: string) =>
  graph(
    [
      ['start', 'textInput', { inputFields: [{ key: 'text' }] }],
      ['out', 'output', { message: `${prefix} $start.body.text` }],
    ],
    ['start>out'],
  );
const HELLO = saying('Hello');
const BYE = saying('Bye');
/** Answers as what is published, and is another graph. */
const noted = (note: string) => ({
  ...HELLO,
  nodes: HELLO.nodes.map((node) => ({ ...node, data: { ...node.data, note } })),
});

const world = await createEvalWorld({ env: { DRAIN_SECONDS: '0' } });
const { app, owner } = world;
const friend = await app.user('Friend');
const stranger = await app.user('Stranger');
afterAll(world.close);

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';
async function ok<T>(user: TestUser, method: Method, url: string, body?: unknown): Promise<T> {
  const answer = await user.call(method, url, body);
  expect(answer.statusCode, answer.body).toBeLessThan(300);
  return answer.statusCode === 204 ? (undefined as T) : answer.json<T>();
}

const GREETINGS = [
  ['Ann', 'Hello Ann'],
  ['Bob', 'Hello Bob'],
] as const;

const gateUrl = (id: string) => `/api/workflows/${id}/publish-gate`;
const fetchGate = (id: string, user = owner) => ok<PublishGate>(user, 'GET', gateUrl(id));
const setGate = (id: string, suites: readonly object[]) =>
  ok<PublishGate>(owner, 'PUT', gateUrl(id), { suites });
const draft = (id: string, content: object) =>
  ok<SavedWorkflow>(owner, 'PUT', `/api/workflows/${id}?draft=true`, content);
const publish = (id: string, body: object = {}, user = owner) =>
  user.call('POST', `/api/workflows/${id}/publish`, body);
const versions = (id: string) =>
  ok<WorkflowVersionSummary[]>(owner, 'GET', `/api/workflows/${id}/versions?current=true`);

/** Starts what has not passed on the draft, and waits until it has ended. */
async function runGate(id: string, user = owner): Promise<PublishGate> {
  await ok<PublishGate>(user, 'POST', `${gateUrl(id)}/runs`);
  await pass(world);
  return fetchGate(id, user);
}

/** A published workflow whose drafts have to greet with "Hello". */
async function gated(least_pass_percent = 100, cases: readonly (readonly [string, string])[] = GREETINGS) {
  const suite = await createSuite(world, cases, { name: 'Greetings' });
  const { id } = await ok<Workflow>(owner, 'POST', '/api/workflows', { name: 'Greeter', ...HELLO });
  await setGate(id, [{ suite_id: suite.id, least_pass_percent }]);
  return { id, suite };
}

interface Refusal {
  detail: { message: string; publish_gate: PublishGate };
  code: string;
}
async function refused(answer: Awaited<ReturnType<typeof publish>>): Promise<Refusal> {
  expect(answer.statusCode, answer.body).toBe(409);
  return answer.json<Refusal>();
}
const first = ({ suites }: PublishGate): GateSuite => {
  const [suite] = suites;
  if (!suite) throw new Error('the gate has no suite');
  return suite;
};

describe('publishing only when evals pass', () => {
  it('refuses a draft that was not run, and says which suite that is about', async () => {
    const { id, suite } = await gated();
    await draft(id, BYE);
    const { detail, code } = await refused(await publish(id));
    expect(code).toBe('conflict');
    expect(detail.message).toContain('"Greetings" was not run on this draft');
    expect(first(detail.publish_gate)).toMatchObject({ suite_id: suite.id, state: 'not_run', run_id: null });
    expect((await versions(id)).length).toBe(1);
  });

  it('runs each test case through the draft, and publishes what reached the threshold', async () => {
    const { id, suite } = await gated();
    await draft(id, BYE);
    const failed = await runGate(id);
    expect(first(failed)).toMatchObject({ state: 'failed', pass_count: 0, total_count: 2, pass_percent: 0 });
    const { detail } = await refused(await publish(id));
    expect(detail.message).toContain('"Greetings" passed 0 % of its test cases, but needs 100 %');
    expect(first(detail.publish_gate).run_id).toBe(first(failed).run_id);

    await draft(id, noted('new'));
    const passed = await runGate(id);
    expect(passed).toMatchObject({ passes: true });
    expect(first(passed)).toMatchObject({ state: 'passed', pass_count: 2, pass_percent: 100 });
    const run = await ok<EvalRun>(owner, 'GET', `${RUNS}/${first(passed).run_id}`);
    expect(run).toMatchObject({ workflow_id: id, suite_id: suite.id, models: ['Greeter'] });
    expect(run.results.map(({ actual_output }) => actual_output)).toEqual(['Hello Ann', 'Hello Bob']);
    const execution = run.results[0]?.execution_id;
    const history = await ok<{ items: HistoryItem[] }>(owner, 'GET', `/api/workflows/${id}/history`);
    expect(history.items.find((item) => item.id === execution)).toMatchObject({ trigger_source: 'eval' });
    expect((await publish(id)).statusCode).toBe(200);
    expect((await versions(id))[0]).toMatchObject({ version_number: 2, override_reason: null });
  });

  it('counts runs of exactly this content: an edit needs a new run, a moved node does not', async () => {
    const { id } = await gated();
    await draft(id, noted('one'));
    expect((await runGate(id)).passes).toBe(true);
    await draft(id, noted('two'));
    expect(first(await fetchGate(id)).state).toBe('not_run');
    await refused(await publish(id));
    const moved = noted('one');
    await draft(id, { ...moved, nodes: moved.nodes.map((node) => ({ ...node, position: { x: 90, y: 9 } })) });
    expect(first(await fetchGate(id)).state).toBe('passed');
    expect((await publish(id)).statusCode).toBe(200);
  });

  it('lets a part of the test cases fail where the threshold says so', async () => {
    const { id } = await gated(50, [
      ['Ann', 'Bye Ann'],
      ['Bob', 'Hello Bob'],
    ]);
    await draft(id, BYE);
    expect(first(await runGate(id))).toMatchObject({ state: 'passed', pass_percent: 50 });
    await setGate(id, [{ suite_id: first(await fetchGate(id)).suite_id, least_pass_percent: 51 }]);
    expect(first(await fetchGate(id)).state).toBe('failed');
    expect((await publish(id)).statusCode).toBe(409);
  });

  it('asks for a new run when the suite was changed since', async () => {
    const { id, suite } = await gated(100, [['Ann', 'Bye Ann']]);
    await draft(id, BYE);
    expect((await runGate(id)).passes).toBe(true);
    await ok(owner, 'POST', `${SUITES}/${suite.id}/test-cases`, { input: 'Bob', expected_output: 'Hi Bob' });
    expect(first(await fetchGate(id)).state).toBe('outdated');
    const { detail } = await refused(await publish(id));
    expect(detail.message).toContain('"Greetings" was changed since it was run on this draft');
    expect(first(await runGate(id))).toMatchObject({ state: 'failed', pass_count: 1, total_count: 2 });
  });

  it('shows progress, starts no second run beside one, and ignores a cancelled one', async () => {
    const { id } = await gated();
    await draft(id, BYE);
    const started = await ok<PublishGate>(owner, 'POST', `${gateUrl(id)}/runs`);
    expect(first(started)).toMatchObject({ state: 'running', done_count: 0, total_count: 2 });
    const again = await ok<PublishGate>(owner, 'POST', `${gateUrl(id)}/runs`);
    expect(first(again).run_id).toBe(first(started).run_id);
    const { detail } = await refused(await publish(id));
    expect(detail.message).toContain('"Greetings" is still running');
    await ok(owner, 'POST', `${RUNS}/${first(started).run_id}/cancel`);
    expect(first(await fetchGate(id)).state).toBe('not_run');
  });

  it('asks the nodes themselves, not the results that are kept with them for tests', async () => {
    const { id } = await gated(100, [['Ann', 'Bye Ann']]);
    const pinned = HELLO.nodes.map((node) =>
      node.id === 'out' ? { ...node, data: { ...node.data, pinnedData: { result: 'Bye Ann' } } } : node,
    );
    await draft(id, { ...HELLO, nodes: pinned });
    const { state, run_id } = first(await runGate(id));
    expect(state).toBe('failed');
    const { results } = await ok<EvalRun>(owner, 'GET', `${RUNS}/${run_id}`);
    expect(results[0]?.actual_output).toBe('Hello Ann');
  });

  it('compares JSON, hands JSON in, and asks the judge of the gate', async () => {
    const suite = await createSuite(world, [
      ['{"text":"Ann"}', '{"greeting":"Bye Ann"}', { input_mode: 'json', expected_mode: 'json' }],
    ]);
    const judged = await createSuite(world, [['Ann', 'a farewell']], { scoring_method: 'llm_judge' });
    const { id } = await ok<Workflow>(owner, 'POST', '/api/workflows', { name: 'Mapper', ...HELLO });
    const judge = { judge_credential_id: world.credential_id, judge_model: 'm1' };
    await setGate(id, [{ suite_id: suite.id }, { suite_id: judged.id, ...judge }]);
    const mapper = graph(
      [
        ['start', 'textInput', { inputFields: [{ key: 'text' }] }],
        ['out', 'jsonOutputMapper', { mappings: [{ key: 'greeting', value: 'Bye $start.body.text' }] }],
      ],
      ['start>out'],
    );
    await draft(id, mapper);
    world.answer(() => says('{"score": 90, "explanation": "It is one."}'));
    const { suites, passes } = await runGate(id);
    expect(suites.map(({ state }) => state)).toEqual(['passed', 'passed']);
    expect(passes).toBe(true);
    expect((await publish(id)).statusCode).toBe(200);
  });

  it('counts a run that fails or waits for a person as not passed, with the reason', async () => {
    const { id } = await gated(100, [['Ann', 'x']]);
    await draft(
      id,
      graph(
        [
          ['start', 'textInput'],
          ['stop', 'throwError', { errorMessage: 'out of order' }],
        ],
        ['start>stop'],
      ),
    );
    const failed = first(await runGate(id));
    expect(failed.state).toBe('failed');
    expect(failed.error).toContain('out of order');
    await draft(
      id,
      graph(
        [
          ['start', 'textInput'],
          ['ask', 'humanReview', { message: 'Send it?' }],
        ],
        ['start>ask'],
      ),
    );
    expect(first(await runGate(id)).error).toContain('waits for the review of a person');
    const history = await ok<{ items: HistoryItem[] }>(owner, 'GET', `/api/workflows/${id}/history`);
    expect(history.items.map(({ status }) => status)).not.toContain('pending');
  });
});

const slow = (duration: number) =>
  graph(
    [
      ['start', 'textInput'],
      ['pause', 'wait', { duration }],
      ['out', 'output', { message: 'done' }],
    ],
    ['start>pause', 'pause>out'],
  );
const fetchHistory = (id: string) =>
  ok<{ items: HistoryItem[] }>(owner, 'GET', `/api/workflows/${id}/history`).then(({ items }) => items);
const until = async (isSo: () => Promise<boolean>) => {
  await vi.waitFor(async () => expect(await isSo()).toBe(true), { timeout: 10_000, interval: 50 });
};

describe('runs of the draft', () => {
  it('are found again by the process that takes over', async () => {
    const { id } = await gated(100, [['Ann', 'done']]);
    await draft(id, slow(1_500));
    await ok(owner, 'POST', `${gateUrl(id)}/runs`);
    const stopping = new AbortController();
    const stopped = pass(world, stopping.signal);
    await until(async () => (await fetchHistory(id)).length === 1);
    stopping.abort();
    await stopped;
    expect(first(await fetchGate(id)).state).toBe('running');
    await pass(world);
    expect(first(await fetchGate(id)).state).toBe('passed');
    expect((await fetchHistory(id)).map(({ status }) => status)).toEqual(['success']);
  });

  it('end when the evals are cancelled', async () => {
    const { id } = await gated(100, [['Ann', 'done']]);
    await draft(id, slow(600_000));
    const started = await ok<PublishGate>(owner, 'POST', `${gateUrl(id)}/runs`);
    const working = pass(world);
    await until(async () => (await fetchHistory(id)).length === 1);
    await ok(owner, 'POST', `${RUNS}/${first(started).run_id}/cancel`);
    await working;
    await until(async () => (await fetchHistory(id))[0]?.status === 'cancelled');
  });

  it('work while the workflow is switched off, and no longer when the draft is gone', async () => {
    const { id } = await gated();
    await ok(owner, 'PUT', `/api/workflows/${id}`, { active: false });
    await draft(id, noted('off'));
    expect((await runGate(id)).passes).toBe(true);
    await draft(id, noted('other'));
    await ok(owner, 'POST', `${gateUrl(id)}/runs`);
    await ok(owner, 'DELETE', `/api/workflows/${id}/draft`);
    await ok(owner, 'DELETE', `/api/workflows/${id}/versions`);
    await pass(world);
    await draft(id, noted('other'));
    expect(first(await fetchGate(id))).toMatchObject({ state: 'failed', error: 'The draft was deleted' });
  });
});

describe('other ways to publish', () => {
  it('a save of the graph over the interface, and going back to a version', async () => {
    const { id } = await gated();
    const [only] = await versions(id);
    const saved = await owner.call('PUT', `/api/workflows/${id}`, BYE);
    expect((await refused(saved)).detail.publish_gate.suites).toHaveLength(1);
    const revert = await owner.call('POST', `/api/workflows/${id}/versions/${only?.id}/revert`, {
      confirm: true,
    });
    expect((await refused(revert)).detail.message).toContain('was not run on this draft');
    const back = { confirm: true, override_reason: 'It worked' };
    await ok(owner, 'POST', `/api/workflows/${id}/versions/${only?.id}/revert`, back);
    expect((await versions(id))[0]).toMatchObject({ version_number: 2, override_reason: 'It worked' });
    const log = await ok<{ items: AuditEntry[] }>(owner, 'GET', `/api/audit?object_id=${id}`);
    expect(log.items.filter(({ details }) => details?.['override_reason'] === 'It worked')).toHaveLength(1);
    // Evals do not depend on name and settings.
    await ok(owner, 'PUT', `/api/workflows/${id}`, { name: 'Renamed', cache_ttl_seconds: 5 });
    expect((await versions(id)).length).toBe(3);
    // Once it has run on this content, both are open.
    expect((await runGate(id)).passes).toBe(true);
    await ok(owner, 'POST', `/api/workflows/${id}/versions/${only?.id}/revert`, { confirm: true });
  });

  it('a node that a run switches off is switched off in what is published too', async () => {
    const { id } = await gated();
    const stop = graph(
      [
        ['start', 'textInput'],
        ['off', 'disableNode', { targetNodeLabel: 'start' }],
      ],
      ['start>off'],
    );
    await draft(id, stop);
    expect((await publish(id, { override_reason: 'a trial' })).statusCode).toBe(200);
    await ok(owner, 'POST', `/api/workflows/${id}/execute`, {});
    const { nodes } = await ok<Workflow>(owner, 'GET', `/api/workflows/${id}`);
    expect(nodes.find((node) => node.id === 'start')?.data?.['active']).toBe(false);
  });
});

describe('a run of a draft', () => {
  it('switches nodes off in the draft alone, so that it does not change what is published', async () => {
    const { id } = await gated();
    const stop = graph(
      [
        ['start', 'textInput'],
        ['off', 'disableNode', { targetNodeLabel: 'start' }],
      ],
      ['start>off'],
    );
    await draft(id, stop);
    const ran = await owner.call('POST', `/api/workflows/${id}/execute`, {}, { 'x-run-draft': 'true' });
    expect(ran.statusCode, ran.body).toBe(200);
    const activeIn = async (query: string) =>
      (await ok<Workflow>(owner, 'GET', `/api/workflows/${id}${query}`)).nodes.find(
        (node) => node.id === 'start',
      )?.data?.['active'];
    expect(await activeIn('')).not.toBe(false);
    expect(await activeIn('?draft=true')).toBe(false);
  });
});

describe('who may do what', () => {
  it('the owner publishes with a reason, which the version and the log keep', async () => {
    const { id } = await gated();
    await draft(id, BYE);
    const answer = await publish(id, { override_reason: 'The suite is out of date' });
    expect(answer.statusCode, answer.body).toBe(200);
    expect((await versions(id))[0]?.override_reason).toBe('The suite is out of date');
    const log = await ok<{ items: AuditEntry[] }>(owner, 'GET', `/api/audit?object_id=${id}`);
    expect(log.items.find(({ action }) => action === 'workflow.published')?.details).toMatchObject({
      override_reason: 'The suite is out of date',
    });
    const empty = await publish(id, { override_reason: ' ' });
    expect(empty.statusCode).toBe(422);
  });

  it('a reason that was not needed is not kept', async () => {
    const { id } = await gated(100, [['Ann', 'Bye Ann']]);
    await draft(id, BYE);
    expect((await runGate(id)).passes).toBe(true);
    await publish(id, { override_reason: 'just in case' });
    expect((await versions(id))[0]).toMatchObject({ version_number: 2, override_reason: null });
  });

  it('a collaborator sees the gate and runs it, but neither changes nor overrides it', async () => {
    const { id, suite } = await gated(100, [['Ann', 'Bye Ann']]);
    await shareWith(app, id, friend);
    await draft(id, BYE);
    const changed = await friend.call('PUT', gateUrl(id), { suites: [] });
    expect(changed.statusCode).toBe(403);
    expect((await publish(id, { override_reason: 'please' }, friend)).statusCode).toBe(403);
    expect((await refused(await publish(id, {}, friend))).detail.publish_gate.may_override).toBe(false);
    const gate = await runGate(id, friend);
    expect(first(gate)).toMatchObject({ state: 'passed', suite_name: 'Greetings', run_id: null });
    expect(gate.may_override).toBe(false);
    const runs = await ok<EvalRun[]>(owner, 'GET', `${SUITES}/${suite.id}/runs`);
    expect(runs.map(({ workflow_id }) => workflow_id)).toEqual([id]);
    expect((await friend.call('GET', `${RUNS}/${runs[0]?.id}`)).statusCode).toBe(404);
    expect((await publish(id, {}, friend)).statusCode).toBe(200);
  });

  it('a collaborator is told that the owner has as many eval runs under way as there may be', async () => {
    const suites = await Promise.all(
      ['1', '2', '3', '4', '5'].map((name) => createSuite(world, GREETINGS, { name })),
    );
    const busy = await ok<Workflow>(owner, 'POST', '/api/workflows', { name: 'Busy', ...HELLO });
    await setGate(
      busy.id,
      suites.map(({ id }) => ({ suite_id: id })),
    );
    await draft(busy.id, BYE);
    await ok(owner, 'POST', `${gateUrl(busy.id)}/runs`);
    const { id } = await gated();
    await shareWith(app, id, friend);
    await draft(id, BYE);
    const answer = await friend.call('POST', `${gateUrl(id)}/runs`);
    expect(answer.statusCode).toBe(409);
    expect(answer.body).toContain('The owner of the suite has 5 eval runs that have not ended');
    await pass(world);
  });
});

describe('suites of a gate', () => {
  const chosen = (id: string, suites: readonly object[]) => owner.call('PUT', gateUrl(id), { suites });

  it('are those of the owner, each once, with a judge where one scores', async () => {
    const { id, suite } = await gated();
    const theirs = await ok<EvalSuite>(stranger, 'POST', SUITES, { name: 'Theirs' });
    const foreign = await chosen(id, [{ suite_id: theirs.id }]);
    expect(foreign.statusCode).toBe(422);
    expect(foreign.json()).toMatchObject({
      detail: [{ loc: ['body', 'suites', 0, 'suite_id'], msg: expect.stringContaining('your eval suites') }],
    });
    expect((await chosen(id, [{ suite_id: suite.id }, { suite_id: suite.id }])).statusCode).toBe(422);
    expect((await chosen(id, [{ suite_id: suite.id, least_pass_percent: 0 }])).statusCode).toBe(422);
    const judged = await createSuite(world, [], { scoring_method: 'llm_judge' });
    const without = await chosen(id, [{ suite_id: judged.id }]);
    expect(without.json()).toMatchObject({ detail: [{ loc: ['body', 'suites', 0, 'judge_credential_id'] }] });
  });

  it('shut the gate when they are deleted, until the owner takes them out', async () => {
    const { id, suite } = await gated();
    await draft(id, BYE);
    await ok(owner, 'DELETE', `${SUITES}/${suite.id}`);
    const { detail } = await refused(await publish(id));
    expect(detail.message).toContain('"Greetings" was deleted');
    expect(first(await runGate(id))).toMatchObject({ state: 'deleted', suite_name: 'Greetings' });
    expect(await setGate(id, [])).toMatchObject({ suites: [], passes: true });
    expect((await publish(id)).statusCode).toBe(200);
  });

  it('are not run without the judge that their scoring needs since', async () => {
    const { id, suite } = await gated();
    await draft(id, BYE);
    await ok(owner, 'PATCH', `${SUITES}/${suite.id}`, { scoring_method: 'llm_judge' });
    const answer = await owner.call('POST', `${gateUrl(id)}/runs`);
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toContain('is scored by a model, but none is chosen');
    expect(await fetchHistory(id)).toEqual([]);
  });

  it('must have test cases', async () => {
    const { id } = await gated(100, []);
    await draft(id, BYE);
    expect((await refused(await publish(id))).detail.message).toContain('"Greetings" has no test cases');
    expect(first(await runGate(id)).state).toBe('empty');
  });

  it('run on one workflow say nothing about another', async () => {
    const { id, suite } = await gated(100, [['Ann', 'Bye Ann']]);
    await draft(id, BYE);
    expect((await runGate(id)).passes).toBe(true);
    const copy = await ok<Workflow>(owner, 'POST', '/api/workflows?draft=true', { name: 'Copy', ...BYE });
    await setGate(copy.id, [{ suite_id: suite.id }]);
    expect(first(await fetchGate(copy.id)).state).toBe('not_run');
    await refused(await publish(copy.id));
  });
});
