import type { HistoryEntry, HistoryList } from '@millrace/contracts';
import { beforeEach, expect, test } from 'vitest';
import { createWorkflow, executeUrl, graph, until } from '../executions/testing/workflows.ts';
import {
  type AssistantWorld,
  asksFor,
  EDITOR,
  getFrame,
  joinText,
  listTypes,
  says,
  useAssistantWorld,
} from './testing/world.ts';

let world: AssistantWorld;
useAssistantWorld((opened) => {
  world = opened;
});

const BROKEN = graph(
  [
    ['start', 'textInput'],
    ['greet', 'set', { mappings: [{ key: 'text', value: '"Hello " + $start.body.name' }] }],
    ['check', 'throwError', { errorMessage: 'The name $start.body.name is too short' }],
  ],
  ['start>greet', 'greet>check'],
);
const REPAIRED = graph(
  [
    ['start', 'textInput'],
    ['greet', 'set', { mappings: [{ key: 'text', value: '"Hello " + $start.body.name' }] }],
    ['check', 'output', { message: '$greet.text' }],
  ],
  ['start>greet', 'greet>check'],
);

let workflow_id: string;
let chat_id: string;
let failed: string;
beforeEach(async () => {
  workflow_id = await createWorkflow(world.owner, BROKEN);
  chat_id = await world.newChat({ workflow_id });
  const answer = await world.owner.call('POST', executeUrl(workflow_id), { name: 'Al' });
  failed = String(answer.headers['x-execution-id']);
});

const ask = (message: string) =>
  world.stream(EDITOR, { message, chat_id, current_workflow: { name: 'Greeter', ...BROKEN } });
const saveDraft = async () => {
  const saved = await world.owner.call('PUT', `/api/workflows/${workflow_id}?draft=true`, REPAIRED);
  expect(saved.statusCode, saved.body).toBe(200);
};

/** Has the model ask to run the draft; what it asks for. */
async function asked(input: object = { run_id: failed }) {
  world.script(asksFor('try_draft', input));
  const { token, tool, arguments: given, summary } = getFrame(await ask('Try it'), 'confirmation');
  return {
    summary,
    decide: (decision: 'accept' | 'refuse') => ({ token, tool, arguments: given, decision }),
  };
}

const send = (confirmation: object) => world.stream(EDITOR, { message: '', chat_id, confirmation });

test('the failed run is found and read, and a repair is shown before it is run', async () => {
  world.script(
    asksFor('find_failed_run', {}),
    asksFor('propose_workflow', { name: 'Greeter', ...REPAIRED }),
    asksFor('try_draft', { run_id: failed }),
  );
  const frames = await ask('Why does it fail?');
  expect(listTypes(frames)).toEqual(['chat', 'step', 'step', 'workflow_proposal', 'confirmation', 'done']);
  expect(world.getRequestBody(1)).toContain(failed);
  expect(world.getRequestBody(1)).toContain('The name Al is too short');
  expect(getFrame(frames, 'confirmation')).toMatchObject({
    tool: 'try_draft',
    arguments: { run_id: failed, from: 'failed' },
  });
});

test('a confirmed run of the draft takes the recorded input, and keeps the results before the failure', async () => {
  await saveDraft();
  const { decide } = await asked();
  world.script(says('It works now.'));
  const frames = await send(decide('accept'));
  expect(joinText(frames)).toBe('It works now.');
  const output = getFrame(frames, 'tool_output');
  expect(output).toMatchObject({ tool: 'try_draft', workflow_id, status: 'success' });
  const entry = (
    await world.owner.call('GET', `/api/workflows/history/all/${output.run_id}`)
  ).json<HistoryEntry>();
  expect(entry).toMatchObject({
    replay_of: failed,
    is_draft: true,
    outputs: { check: { result: 'Hello Al' } },
  });
  expect(entry.node_results.map(({ node_id, metadata }) => [node_id, metadata['reused'] === true])).toEqual([
    ['start', true],
    ['greet', true],
    ['check', false],
  ]);
  expect(world.getRequestBody(0)).toContain('Hello Al');
});

test('a draft that fails too is told to the model, and is run at most three times for one failed run', async () => {
  let run_id = failed;
  for (let time = 1; time <= 3; time++) {
    // A try is named in place of the run that it is a try of.
    const { decide } = await asked({ run_id, from: 'start' });
    world.script(says('It fails still.'));
    const output = getFrame(await send(decide('accept')), 'tool_output');
    expect(output.status).toBe('error');
    expect(world.getRequestBody(0)).toContain('The name Al is too short');
    run_id = output.run_id ?? '';
  }
  const { decide } = await asked({ run_id });
  world.script(says('I give up.'));
  const frames = await send(decide('accept'));
  expect(listTypes(frames)).not.toContain('tool_output');
  expect(world.getRequestBody(0)).toContain('Drafts were run 3 times for this failed run');
});

test('a person who stops the answer stops the run', async () => {
  const hanging = graph(
    [
      ['start', 'textInput'],
      ['check', 'http', { curl: `curl ${world.provider.url}/slow` }],
    ],
    ['start>check'],
  );
  await world.owner.call('PUT', `/api/workflows/${workflow_id}?draft=true`, hanging);
  const { decide } = await asked({ run_id: failed, from: 'start' });
  world.script({ chunks: ['{'], end: 'hang' });
  const turn = send(decide('accept'));
  const path = `/api/workflows/${workflow_id}/history?replay_of=${failed}`;
  const tried = async () => (await world.owner.call('GET', path)).json<HistoryList>().items[0];
  await until(async () => world.asked().length === 1);
  expect((await tried())?.status).toBe('running');
  expect((await world.owner.call('POST', `/api/chats/${chat_id}/stop`)).statusCode).toBeLessThan(300);
  await turn;
  await until(async () => (await tried())?.status === 'cancelled');
});

test('what the person refuses is not run', async () => {
  const { decide } = await asked();
  world.script(says('As you wish.'));
  expect(listTypes(await send(decide('refuse')))).not.toContain('tool_output');
  const runs = await world.owner.call('GET', `/api/workflows/${workflow_id}/history`);
  expect(runs.json<HistoryList>().total).toBe(1);
});

test('a run of another workflow is not there, nor is the workflow of another person', async () => {
  const other = await createWorkflow(world.owner, BROKEN);
  const elsewhere = await world.owner.call('POST', executeUrl(other), { name: 'Al' });
  world.script(asksFor('try_draft', { run_id: String(elsewhere.headers['x-execution-id']) }), says('No.'));
  expect(listTypes(await ask('Try it'))).not.toContain('confirmation');
  expect(world.getRequestBody(1)).toContain('Run not found');
  const stranger = await world.app.user();
  const made = await stranger.call('POST', '/api/credentials', {
    name: 'models',
    type: 'custom',
    config: { api_key: 'k-0123456789', base_url: world.provider.url },
  });
  const credential_id = made.json<{ id: string }>().id;
  const refused = await world.send(EDITOR, { message: 'Why?', workflow_id, credential_id }, stranger);
  expect([refused.statusCode, refused.body]).toEqual([404, expect.stringContaining('Workflow not found')]);
});

test('without a workflow, or when it only answers, there is nothing to run', async () => {
  const { decide } = await asked();
  const message = '';
  const refused = [
    await world.send(EDITOR, { message, confirmation: decide('accept') }),
    await world.send(EDITOR, { message, chat_id, ask_mode: true, confirmation: decide('accept') }),
  ];
  expect(refused.map(({ statusCode }) => statusCode)).toEqual([422, 422]);
  expect(refused[0]?.body).toContain('is no tool that changes something');
  expect((await world.send(EDITOR, { message, chat_id })).statusCode).toBe(422);
});
