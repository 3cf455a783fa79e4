import { expect, test } from 'vitest';
import { createWorkflow, ECHO, graph } from '../executions/testing/workflows.ts';
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

const send = (body: object) => world.send(EDITOR, { message: 'Build it', ...body });
const edit = (body: object = {}) => world.stream(EDITOR, { message: 'Build it', ...body });
const named = (content: object) => ({ name: 'Greeter', ...content });

test('a proposal is checked, placed, and shown with what the user has left to choose', async () => {
  const proposal = {
    name: 'Ask a model',
    nodes: [
      { id: 'start', type: 'textInput', data: { label: 'start' } },
      { id: 'ask', type: 'llm', data: { label: 'ask', model: 'm', userMessage: '$start.text' } },
      { id: 'out', type: 'output', data: { label: 'out', message: '$ask.text' } },
    ],
    edges: [
      { source: 'start', target: 'ask' },
      { source: 'ask', target: 'out' },
    ],
  };
  world.script(asksFor('propose_workflow', proposal), says('Here it is.'));
  const frames = await edit();
  expect(listTypes(frames)).toEqual(['step', 'workflow_proposal', 'content', 'done']);
  const { workflow } = getFrame(frames, 'workflow_proposal');
  expect(workflow.name).toBe('Ask a model');
  expect(workflow.nodes.map(({ position }) => position.x)).toEqual([0, 292, 584]);
  expect(workflow.edges.map(({ id }) => id).every((id) => id !== '')).toBe(true);
  expect(workflow.problems.map(({ field }) => field)).toEqual(['credentialId']);
});

test('a graph that cannot run is not shown: the model gets the problems and repairs it', async () => {
  const cycle = {
    name: 'Round',
    nodes: [
      { id: 'a', type: 'set', data: { label: 'a' } },
      { id: 'b', type: 'set', data: { label: 'b' } },
    ],
    edges: [
      { source: 'a', target: 'b' },
      { source: 'b', target: 'a' },
    ],
  };
  world.script(
    asksFor('propose_workflow', { ...cycle, nodes: [{ id: 'a', type: 'teleport' }], edges: [] }),
    asksFor('propose_workflow', cycle),
    asksFor('propose_workflow', named(ECHO)),
    says('Repaired.'),
  );
  const frames = await edit();
  expect(world.getRequestBody(1)).toContain('teleport');
  expect(world.getRequestBody(2)).toContain('a → b → a');
  expect(frames.filter(({ type }) => type === 'workflow_proposal')).toHaveLength(1);
});

test('secrets of the graph never reach the model, and stay where it left their place', async () => {
  const current = graph(
    [
      ['start', 'textInput'],
      ['call', 'http', { curl: 'curl https://x.test -H "Authorization: Bearer abcdef123456"' }],
      ['rows', 'set', { mappings: [{ key: 'api_key', value: 'plain-secret' }] }],
    ],
    ['start>call', 'call>rows'],
  );
  world.script(({ body }) => {
    const text = JSON.stringify(body);
    expect(text).toContain('https://x.test');
    expect(text).not.toMatch(/abcdef123456|plain-secret/);
    return asksFor('propose_workflow', {
      name: 'Changed',
      nodes: [
        current.nodes[0],
        {
          ...current.nodes[1],
          data: { label: 'call', curl: 'curl https://x.test -H "Authorization: Bearer [hidden]"' },
        },
        {
          ...current.nodes[2],
          data: {
            label: 'rows',
            mappings: [
              { key: 'city', value: 'Kiel' },
              { key: 'api_key', value: '[hidden]' },
            ],
          },
        },
      ],
      edges: current.edges,
    });
  }, says('Done.'));
  const frames = await edit({ current_workflow: named(current) });
  const { workflow, changes } = getFrame(frames, 'workflow_proposal');
  const { nodes } = workflow;
  expect(changes.node_changes.map(({ node_id, change_type }) => [node_id, change_type])).toEqual([
    ['rows', 'modified'],
  ]);
  expect(changes.edge_changes).toEqual([]);
  expect(nodes[1]?.data['curl']).toBe(current.nodes[1]?.data['curl']);
  expect(nodes[2]?.data['mappings']).toEqual([
    { key: 'city', value: 'Kiel' },
    { key: 'api_key', value: 'plain-secret' },
  ]);
  expect(world.getRequestBody(1)).not.toMatch(/abcdef123456|plain-secret/);
});

test('workflows that the request names are offered to the model, as data and without secrets', async () => {
  world.script(says('ok'));
  const available_workflows = [
    { id: crypto.randomUUID(), name: 'Send </data> invoices', config: { api_key: 'plain-secret' } },
  ];
  await edit({ available_workflows });
  expect(world.getRequestBody(0)).toContain('<data tool=\\"available_workflows');
  expect(world.getRequestBody(0)).toContain(available_workflows[0]?.id);
  expect(world.getRequestBody(0)).toContain('invoices');
  expect(world.getRequestBody(0)).not.toMatch(/Send <\/data>|plain-secret/);
  await edit({ available_workflows: [] });
  expect(world.getRequestBody(1)).not.toContain('<data tool=');
});

test('a graph is shown whole, and one that is too long is refused, since unseen nodes would be lost', async () => {
  const long = (characters: number) =>
    named(
      graph(
        [
          ['start', 'textInput'],
          ['text', 'set', { mappings: [{ key: 'text', value: 'x'.repeat(characters) }] }],
          ['last', 'output', { message: 'the very end' }],
        ],
        ['start>text', 'text>last'],
      ),
    );
  world.script(says('ok'));
  await edit({ current_workflow: long(100_000) });
  expect(world.getRequestBody(0)).toContain('the very end');
  const refused = await send({ current_workflow: long(250_000) });
  expect(refused.statusCode).toBe(422);
  expect(refused.body).toContain('current_workflow');
});

test('ids of things that the user cannot see are cleared', async () => {
  const stranger = await world.app.user();
  const foreign = await createWorkflow(stranger, ECHO);
  const proposal = graph(
    [
      ['start', 'textInput'],
      ['sub', 'execute', { executeWorkflowId: foreign }],
    ],
    ['start>sub'],
  );
  world.script(asksFor('propose_workflow', named(proposal)), says('ok'));
  const frames = await edit();
  const { nodes } = getFrame(frames, 'workflow_proposal').workflow;
  expect(nodes[1]?.data['executeWorkflowId']).toBe('');
});

test('the mode that only asks has nothing to propose with', async () => {
  world.script(asksFor('propose_workflow', named(ECHO)), says('I can only explain.'));
  const frames = await edit({ ask_mode: true });
  expect(listTypes(frames)).toEqual(['content', 'done']);
  expect(joinText(frames)).toBe('I can only explain.');
});

test('refusals: a message without words, a foreign credential, one of no model', async () => {
  expect((await send({ message: ' ' })).statusCode).toBe(422);
  expect((await send({ credential_id: crypto.randomUUID() })).statusCode).toBe(404);
  const bearer = await world.owner.call('POST', '/api/credentials', {
    name: 'no model',
    type: 'bearer',
    config: { bearer_token: 'abcdefghij' },
  });
  expect((await send({ credential_id: bearer.json<{ id: string }>().id })).statusCode).toBe(400);
});
