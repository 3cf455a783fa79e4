import { beforeEach, expect, test } from 'vitest';
import { createWorkflow, graph } from '../executions/testing/workflows.ts';
import {
  type AssistantWorld,
  asksFor,
  EDITOR,
  getFrame,
  listTypes,
  says,
  useAssistantWorld,
} from './testing/world.ts';

let world: AssistantWorld;
useAssistantWorld((opened) => {
  world = opened;
});

const graphWith = (credentialId: string) =>
  graph(
    [
      ['start', 'textInput'],
      ['ask', 'llm', { credentialId, model: 'm1', userMessage: 'Hi' }],
    ],
    ['start>ask'],
  );
const REASON = 'The key of the provider.';

let workflow_id: string;
let chat_id: string;
let node_id: string;
beforeEach(async () => {
  const content = graphWith('');
  node_id = content.nodes.find(({ data }) => data['label'] === 'ask')?.id ?? '';
  workflow_id = await createWorkflow(world.owner, content);
  chat_id = await world.newChat({ workflow_id });
});

const send = (body: object) =>
  world.stream(EDITOR, { message: '', chat_id, current_workflow: { name: 'W', ...graphWith('') }, ...body });

/** Has the model ask for the credential; what the person sends when they decide. */
async function asked(input: object = { node_id, reason: REASON }) {
  world.script(asksFor('ask_for_credential', input));
  const {
    token,
    tool,
    arguments: given,
    summary,
  } = getFrame(await send({ message: 'Set it up' }), 'confirmation');
  return {
    summary,
    given,
    decide: (decision: 'accept' | 'refuse') => ({ token, tool, arguments: given, decision }),
  };
}

async function saveDraft(credentialId: string): Promise<void> {
  const saved = await world.owner.call(
    'PUT',
    `/api/workflows/${workflow_id}?draft=true`,
    graphWith(credentialId),
  );
  expect(saved.statusCode, saved.body).toBe(200);
}

test('the assistant asks for the credential of a node by its label, and reads its name and type once it is chosen', async () => {
  const { summary, given, decide } = await asked();
  expect(summary).toBe('ask');
  expect(given).toEqual({ node_id, field: 'credentialId', reason: REASON });
  await saveDraft(world.credential_id);
  world.script(says('Thanks.'));
  expect(listTypes(await send({ confirmation: decide('accept') }))).toEqual([
    'chat',
    'step',
    'content',
    'done',
  ]);
  expect(world.getRequestBody(0)).toContain(String.raw`\"type\":\"custom\"`);
  expect(world.getRequestBody(0)).not.toContain('k-0123456789');
});

test('a card that was answered without a choice, or with what the person cannot see, is an error for the model', async () => {
  const without = await asked();
  world.script(says('Hm.'));
  await send({ confirmation: without.decide('accept') });
  expect(world.getRequestBody(0)).toContain('No credential was chosen');
  const foreign = await asked();
  await saveDraft('00000000-0000-4000-8000-000000000000');
  world.script(says('Hm.'));
  await send({ confirmation: foreign.decide('accept') });
  expect(world.getRequestBody(0)).toContain('gone or not shared');
});

test('the node of a proposal in the same answer can be asked for', async () => {
  const proposed = graph(
    [
      ['start', 'textInput'],
      ['shape', 'set', { mappings: [] }],
      ['talk', 'llm', { credentialId: '', model: 'm1', userMessage: 'Hi' }],
    ],
    ['start>shape', 'shape>talk'],
  );
  const id = proposed.nodes.find(({ data }) => data['label'] === 'talk')?.id;
  world.script(
    asksFor('propose_workflow', { name: 'W', ...proposed }),
    asksFor('ask_for_credential', { node_id: id, reason: REASON }),
  );
  expect(getFrame(await send({ message: 'Build it' }), 'confirmation').summary).toBe('talk');
});

test.each([
  [{ node_id: 'none' }, 'There is no node with the id'],
  [{ field: 'model' }, 'is no credential of llm; it has credentialId'],
])('what cannot be asked for is said to the model: %o', async (wrong, words) => {
  world.script(asksFor('ask_for_credential', { node_id, reason: REASON, ...wrong }), says('Sorry.'));
  expect(listTypes(await send({ message: 'Set it up' }))).toEqual(['chat', 'content', 'done']);
  expect(world.getRequestBody(1)).toContain(words);
});

test('a mode that only answers asks for none', async () => {
  world.script(says('No.'));
  await send({ message: 'Set it up', ask_mode: true });
  expect(world.getRequestBody(0)).not.toContain('ask_for_credential');
});
