import type { JsonObject, WorkflowDocument } from '@millrace/engine';
import { chatStream, type FakeProvider, type SeenCall, startFakeProvider } from '@millrace/models/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createPortal, type TestPortal, useTestApp } from '../../testing/index.ts';
import { createWorkflow, executeUrl, graph, until } from '../executions/testing/workflows.ts';

const app = await useTestApp({ env: { HTTP_ALLOW_PRIVATE_URLS: 'true' } });
const owner = await app.user();

const isLearning = ({ body }: SeenCall) => JSON.stringify(body).includes('You keep the memory');
/** Learns every name that is said after "I am". */
function learn(call: SeenCall): string {
  const names = [...JSON.stringify(call.body).matchAll(/I am (\w+)/g)].map(([, name]) => name);
  return JSON.stringify({
    nodes: names.map((entity_name) => ({ entity_name, entity_type: 'person', properties: [] })),
    edges: [],
  });
}

let provider: FakeProvider;
let model: JsonObject;
/** Called while the model answers. */
let meanwhile: () => void;
beforeAll(async () => {
  provider = await startFakeProvider((call) => {
    meanwhile();
    return { chunks: chatStream([isLearning(call) ? learn(call) : 'Fine']) };
  });
  const config = { api_key: 'k-0123456789', base_url: provider.url };
  const made = await owner.call('POST', '/api/credentials', { name: 'models', type: 'custom', config });
  model = { credentialId: made.json<{ id: string }>().id, model: 'm1', userMessage: '$input.text' };
});
afterAll(() => provider.stop());
beforeEach(() => {
  provider.seen.length = 0;
  meanwhile = () => undefined;
});

const remembering = (data: JsonObject = {}): JsonObject => ({
  ...model,
  persistentMemoryEnabled: true,
  ...data,
});
const withAgent = (data: JsonObject): WorkflowDocument =>
  graph(
    [
      ['start', 'textInput'],
      ['boss', 'agent', data],
      ['out', 'output', { message: '$boss.text' }],
    ],
    ['start>boss', 'boss>out'],
  );

interface Visit {
  readonly id: string;
  readonly headers: Record<string, string>;
}
async function visit({ url }: TestPortal): Promise<Visit> {
  const begun = await app.call('POST', `${url}/conversations`);
  const { id, visitor_token } = begun.json<{ id: string; visitor_token: string }>();
  return { id, headers: { 'x-visitor-token': visitor_token } };
}

/** Says something in a portal. @returns what the model was told beside the message */
async function say({ url }: TestPortal, text: string, by?: Visit): Promise<string> {
  const from = provider.seen.length;
  const body = { inputs: { text }, ...(by ? { conversation_id: by.id } : {}) };
  const answer = await app.call('POST', `${url}/execute`, body, by?.headers);
  expect(answer.json(), answer.body).toMatchObject({ status: 'success' });
  return toldSince(from);
}
function toldSince(from: number): string {
  const asked = provider.seen.slice(from).find((call) => !isLearning(call))?.body as
    | { messages: { role: string; content: string }[] }
    | undefined;
  return asked?.messages.find(({ role }) => role === 'system')?.content ?? '';
}
async function loadEntityNames(id: string, node = 'boss'): Promise<string[]> {
  const answer = await owner.call('GET', `/api/workflows/${id}/nodes/${node}/agent-memory/graph`);
  return answer.json<{ nodes: { entity_name: string }[] }>().nodes.map(({ entity_name }) => entity_name);
}
const teach = (id: string, entity_name: string) =>
  owner.call('POST', `/api/workflows/${id}/nodes/boss/agent-memory/nodes`, {
    entity_name,
    entity_type: 'person',
  });
async function keptIn(conversation_id: string): Promise<string[]> {
  const { rows } = await app.services.database.sql.query<{ entity_name: string }>({
    text: 'SELECT entity_name FROM agent_memory_nodes WHERE conversation_id = $1 ORDER BY entity_name',
    values: [conversation_id],
  });
  return rows.map(({ entity_name }) => entity_name);
}

test('what one conversation of a portal has taught an agent, no other conversation meets', async () => {
  const portal = await createPortal(owner, withAgent(remembering()));
  const [one, other] = [await visit(portal), await visit(portal)];
  await say(portal, 'I am Ada', one);
  expect(await say(portal, 'I am Bob', other)).toBe('');
  const told = await say(portal, 'Who am I?', one);
  expect(told).toContain('"entity_name":"Ada"');
  expect(told).not.toContain('Bob');
  expect(await loadEntityNames(portal.id), 'nor do runs of the owner').toEqual([]);
});

test('what the owner has written or taught is known in every conversation, and not changed there', async () => {
  const portal = await createPortal(owner, withAgent(remembering()));
  await teach(portal.id, 'Opening hours');
  await owner.call('POST', executeUrl(portal.id), { text: 'I am Grace' });
  const visitor = await visit(portal);
  const told = await say(portal, 'I am Ada', visitor);
  expect(told).toContain('Opening hours');
  expect(told).toContain('Grace');
  expect(await loadEntityNames(portal.id)).toEqual(['Grace', 'Opening hours']);
  expect(await keptIn(visitor.id)).toEqual(['Ada']);
});

test('the memory of a conversation is deleted with it', async () => {
  const portal = await createPortal(owner, withAgent(remembering()));
  const visitor = await visit(portal);
  await say(portal, 'I am Ada', visitor);
  expect(await keptIn(visitor.id)).toEqual(['Ada']);
  const gone = await app.call(
    'DELETE',
    `${portal.url}/conversations/${visitor.id}`,
    undefined,
    visitor.headers,
  );
  expect(gone.statusCode).toBe(204);
  expect(await keptIn(visitor.id)).toEqual([]);
});

test('a conversation that is deleted while the agent learns leaves nothing behind', async () => {
  const portal = await createPortal(owner, withAgent(remembering()));
  const visitor = await visit(portal);
  let removed: Promise<unknown> | undefined;
  meanwhile = () => {
    const path = `${portal.url}/conversations/${visitor.id}`;
    removed ??= app.call('DELETE', path, undefined, visitor.headers);
  };
  await say(portal, 'I am Ada', visitor);
  await removed;
  expect(provider.seen.filter(isLearning)).toHaveLength(1);
  expect(await keptIn(visitor.id)).toEqual([]);
  expect(await loadEntityNames(portal.id)).toEqual([]);
});

test('a message outside of a stored conversation teaches nothing, and asks the model once', async () => {
  const portal = await createPortal(owner, withAgent(remembering()));
  await say(portal, 'I am Ada');
  expect(provider.seen).toHaveLength(1);
  expect(await loadEntityNames(portal.id)).toEqual([]);
});

test('with the setting off, all conversations add to the one memory of the agent', async () => {
  const portal = await createPortal(owner, withAgent(remembering({ memoryPerConversation: false })));
  const [one, other] = [await visit(portal), await visit(portal)];
  await say(portal, 'I am Ada', one);
  expect(await say(portal, 'I am Bob', other)).toContain('Ada');
  expect(await loadEntityNames(portal.id)).toEqual(['Ada', 'Bob']);
  expect(await keptIn(one.id)).toEqual([]);
});

test('agents that share a memory share it within a conversation as well', async () => {
  const shares = [{ peerCanvasNodeId: 'boss', permission: 'write' }];
  const { nodes, edges } = withAgent(model);
  const keeper = {
    id: 'keeper',
    type: 'agent',
    position: { x: 0, y: 9 },
    data: { label: 'keeper', active: false, memoryShares: shares },
  };
  const portal = await createPortal(owner, { nodes: [...nodes, keeper], edges });
  const [one, other] = [await visit(portal), await visit(portal)];
  await say(portal, 'I am Ada', one);
  expect(await say(portal, 'Who am I?', one)).toContain('memory of="keeper (this conversation)"');
  expect(await say(portal, 'Who am I?', other)).toBe('');
  expect(await loadEntityNames(portal.id, 'keeper')).toEqual([]);
});

test('a memory that another workflow shares is read in a conversation, and never written', async () => {
  const portal = await createPortal(owner, withAgent(model));
  const shares = [{ peerWorkflowId: portal.id, peerCanvasNodeId: 'boss', permission: 'write' }];
  const library = await createWorkflow(owner, withAgent({ memoryShares: shares }));
  await teach(library, 'Grace');
  expect(await say(portal, 'I am Ada', await visit(portal))).toContain('Grace');
  expect(await loadEntityNames(library)).toEqual(['Grace']);
  await owner.call('POST', executeUrl(portal.id), { text: 'I am Linus' });
  expect(await loadEntityNames(library), 'runs of the owner write it').toEqual(['Grace', 'Linus']);
});

test('agents of a sub-workflow keep conversations apart, too', async () => {
  const child = await createWorkflow(owner, withAgent(remembering()));
  const portal = await createPortal(
    owner,
    graph(
      [
        ['start', 'textInput'],
        ['sub', 'execute', { executeWorkflowId: child, executeInput: '$input.text' }],
        ['out', 'output', { message: 'ok' }],
      ],
      ['start>sub', 'sub>out'],
    ),
  );
  const [one, other] = [await visit(portal), await visit(portal)];
  await say(portal, 'I am Ada', one);
  expect(await say(portal, 'Who am I?', other)).toBe('');
  expect(await say(portal, 'Who am I?', one)).toContain('Ada');
  expect(await keptIn(one.id)).toEqual(['Ada']);
  expect(await loadEntityNames(child)).toEqual([]);
});

test('a replay of such a run by the owner keeps to its conversation', async () => {
  const portal = await createPortal(owner, withAgent(remembering()));
  const visitor = await visit(portal);
  await say(portal, 'I am Ada', visitor);
  const history = await owner.call('GET', `/api/workflows/${portal.id}/history`);
  const run_id = history.json<{ items: { id: string }[] }>().items[0]?.id;
  const from = provider.seen.length;
  const replayed = await owner.call('POST', `/api/workflows/${portal.id}/executions/${run_id}/replay`, {
    from: 'start',
  });
  expect(replayed.statusCode, replayed.body).toBeLessThan(300);
  await until(async () => provider.seen.slice(from).some(isLearning));
  expect(toldSince(from)).toContain('"entity_name":"Ada"');
  expect(await loadEntityNames(portal.id)).toEqual([]);
});
