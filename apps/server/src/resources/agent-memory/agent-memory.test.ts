import type { Json } from '@millrace/engine';
import { chatStream, type FakeProvider, type SeenCall, startFakeProvider } from '@millrace/models/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgres } from '../../adapters/postgres/open.ts';
import {
  describeOnPostgres,
  openPostgresForTest,
  silent,
} from '../../execution/journal/testing/databases.ts';
import { createTestApp, useTestApp } from '../../testing/index.ts';
import { createWorkflow, executeUrl, graph, until } from '../executions/testing/workflows.ts';

type Data = Record<string, Json>;
interface MemoryGraph {
  nodes: { id: string; entity_name: string; properties: Data }[];
  edges: { id: string; source_entity_name: string; target_entity_name: string }[];
}

const app = await useTestApp({ env: { HTTP_ALLOW_PRIVATE_URLS: 'true' } });
const owner = await app.user();
const friend = await app.user();
const stranger = await app.user();

const agentGraph = (data: Data = {}, id = 'boss') =>
  graph(
    [
      ['start', 'textInput'],
      [id, 'agent', { userMessage: '$start.body.text', ...data }],
      ['out', 'output', { message: `$${id}.text` }],
    ],
    [`start>${id}`, `${id}>out`],
  );
const memoryUrl = (id: string, rest = 'graph', node = 'boss') =>
  `/api/workflows/${id}/nodes/${node}/agent-memory/${rest}`;
const changeUrl = (id: string, kind: 'nodes' | 'edges', one: string) =>
  `/api/workflows/${id}/agent-memory/${kind}/${one}`;

async function loadMemory(id: string, user = owner, node = 'boss'): Promise<MemoryGraph> {
  return (await user.call('GET', memoryUrl(id, 'graph', node))).json<MemoryGraph>();
}
const add = (id: string, entity_name: string, more: Data = {}, node = 'boss') =>
  owner.call('POST', memoryUrl(id, 'nodes', node), { entity_name, entity_type: 'person', ...more });
const relate = (id: string, source_entity_name: string, target_entity_name: string) =>
  owner.call('POST', memoryUrl(id, 'edges'), {
    source_entity_name,
    target_entity_name,
    relationship_type: 'knows',
  });

describe('the memory of an agent', () => {
  test('has entities by name and their relationships', async () => {
    const id = await createWorkflow(owner, agentGraph());
    expect(await loadMemory(id)).toEqual({ nodes: [], edges: [] });
    await add(id, 'Grace');
    const ada = await add(id, 'Ada', { properties: { city: 'Bern' } });
    expect(ada.statusCode).toBe(201);
    expect(ada.json()).toMatchObject({
      entity_name: 'Ada',
      entity_type: 'person',
      properties: { city: 'Bern' },
      confidence: 1,
    });
    const knows = await relate(id, 'ada', 'Grace');
    expect(knows.statusCode).toBe(201);
    expect(knows.json()).toMatchObject({ source_entity_name: 'Ada', target_entity_name: 'Grace' });
    const { nodes, edges } = await loadMemory(id);
    expect(nodes.map(({ entity_name }) => entity_name)).toEqual(['Ada', 'Grace']);
    expect(edges).toHaveLength(1);
  });

  test('is of one agent; another of the same workflow has its own', async () => {
    const two = graph(
      [
        ['boss', 'agent'],
        ['other', 'agent'],
      ],
      [],
    );
    const id = await createWorkflow(owner, two);
    await add(id, 'Ada');
    expect((await loadMemory(id, owner, 'other')).nodes).toEqual([]);
  });

  test('relationships follow a new name of an entity, and go with it', async () => {
    const id = await createWorkflow(owner, agentGraph());
    const ada = (await add(id, 'Ada')).json<{ id: string }>();
    await add(id, 'Grace');
    await relate(id, 'Ada', 'Grace');
    const renamed = await owner.call('PUT', changeUrl(id, 'nodes', ada.id), { entity_name: 'ADA L.' });
    expect(renamed.json()).toMatchObject({ entity_name: 'ADA L.', entity_type: 'person' });
    expect((await loadMemory(id)).edges).toMatchObject([{ source_entity_name: 'ADA L.' }]);
    const gone = await owner.call('DELETE', changeUrl(id, 'nodes', ada.id));
    expect([gone.statusCode, gone.json()]).toEqual([200, { status: 'deleted' }]);
    expect(await loadMemory(id)).toMatchObject({ nodes: [{ entity_name: 'Grace' }], edges: [] });
  });

  test('a relationship can be turned round and deleted', async () => {
    const id = await createWorkflow(owner, agentGraph());
    for (const name of ['Ada', 'Grace']) await add(id, name);
    const edge = (await relate(id, 'Ada', 'Grace')).json<{ id: string }>();
    const ends = { source_entity_name: 'Grace', target_entity_name: 'Ada' };
    const turned = await owner.call('PUT', changeUrl(id, 'edges', edge.id), { ...ends, confidence: 0.5 });
    expect(turned.json()).toMatchObject({ ...ends, relationship_type: 'knows', confidence: 0.5 });
    expect((await owner.call('DELETE', changeUrl(id, 'edges', edge.id))).json()).toEqual({
      status: 'deleted',
    });
    expect((await loadMemory(id)).edges).toEqual([]);
  });

  test('goes with its workflow', async () => {
    const id = await createWorkflow(owner, agentGraph());
    await add(id, 'Ada');
    await owner.call('DELETE', `/api/workflows/${id}`);
    const { rows } = await app.services.database.sql.query({
      text: 'SELECT 1 FROM agent_memory_nodes WHERE workflow_id = $1',
      values: [id],
    });
    expect(rows).toEqual([]);
  });
});

describe('what a memory refuses', () => {
  let id = '';
  beforeAll(async () => {
    id = await createWorkflow(owner, agentGraph());
    for (const name of ['Ada', 'Grace']) await add(id, name);
    await relate(id, 'Ada', 'Grace');
  });

  test.each<[string, Data, string]>([
    ['an empty name', { entity_name: ' ' }, 'entity_name'],
    ['a name of 256 characters', { entity_name: 'x'.repeat(256) }, 'entity_name'],
    ['a type of 51 characters', { entity_type: 'x'.repeat(51) }, 'entity_type'],
    ['a confidence above 1', { confidence: 1.1 }, 'confidence'],
    ['properties beyond 2,000 characters', { properties: { a: 'x'.repeat(2_000) } }, 'properties'],
    ['a key that reaches a prototype', { properties: { a: { constructor: 1 } } }, 'properties'],
  ])('422: %s', async (_, more, field) => {
    const answer = await add(id, 'New', more);
    expect(answer.statusCode).toBe(422);
    expect(answer.json<{ detail: { loc: string[] }[] }>().detail[0]?.loc.slice(0, 2)).toEqual([
      'body',
      field,
    ]);
  });

  test('422: a relationship with an entity that is not there', async () => {
    const answer = await relate(id, 'Ada', 'Missing');
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({ detail: [{ loc: ['body', 'target_entity_name'] }] });
  });

  test('409: a second entity of a name, and a second relationship of a kind', async () => {
    expect((await add(id, 'ADA')).statusCode).toBe(409);
    expect((await relate(id, 'Ada', 'Grace')).statusCode).toBe(409);
    const grace = (await loadMemory(id)).nodes.find(({ entity_name }) => entity_name === 'Grace');
    const url = changeUrl(id, 'nodes', grace?.id ?? '');
    expect((await owner.call('PUT', url, { entity_name: 'ada' })).statusCode).toBe(409);
  });

  test('404: an agent that is not on the canvas, and ids of another workflow', async () => {
    expect((await add(id, 'New', {}, 'start')).statusCode).toBe(404);
    expect((await owner.call('GET', memoryUrl(id, 'graph', 'start'))).statusCode).toBe(404);
    const other = await createWorkflow(owner, agentGraph());
    const [ada] = (await loadMemory(id)).nodes;
    expect((await owner.call('DELETE', changeUrl(other, 'nodes', ada?.id ?? ''))).statusCode).toBe(404);
  });

  test('§5.8: people with access to the workflow read and change it, others do not see it', async () => {
    expect((await stranger.call('GET', memoryUrl(id))).statusCode).toBe(404);
    await owner.call('POST', `/api/workflows/${id}/shares`, { email: friend.email });
    expect((await loadMemory(id, friend)).nodes).toHaveLength(2);
    const body = { entity_name: 'Linus', entity_type: 'person' };
    expect((await friend.call('POST', memoryUrl(id, 'nodes'), body)).statusCode).toBe(201);
  });
});

const isLearning = ({ body }: SeenCall) => JSON.stringify(body).includes('You keep the memory');
const says = (text: string) => ({ chunks: chatStream([text]) });
const learned = (city: string) =>
  says(
    JSON.stringify({
      nodes: [{ entity_name: 'Ada', entity_type: 'person', properties: [{ name: 'city', value: city }] }],
      edges: [{ source_entity_name: 'Ada', target_entity_name: 'Acme', relationship_type: 'works_at' }],
    }),
  );

describe('an agent that remembers', () => {
  let provider: FakeProvider;
  let model: { credentialId: string; model: string };
  beforeAll(async () => {
    provider = await startFakeProvider((call) => (isLearning(call) ? learned('Bern') : says('Fine')));
    const made = await owner.call('POST', '/api/credentials', {
      name: 'models',
      type: 'custom',
      config: { api_key: 'k-0123456789', base_url: provider.url },
    });
    model = { credentialId: made.json<{ id: string }>().id, model: 'm1' };
  });
  afterAll(() => provider.stop());

  const systemOfLast = () => {
    const asked = provider.seen.filter((call) => !isLearning(call)).at(-1)?.body as
      | { messages: { role: string; content: string }[] }
      | undefined;
    return asked?.messages.find(({ role }) => role === 'system')?.content ?? '';
  };
  const run = async (id: string) =>
    (await owner.call('POST', executeUrl(id), { text: 'How is Ada?' })).json<{ status: string }>().status;

  test('uses in the next run what one has taught it', async () => {
    const id = await createWorkflow(owner, agentGraph({ ...model, persistentMemoryEnabled: true }));
    expect(await run(id)).toBe('success');
    expect(systemOfLast()).toBe('');
    expect(await loadMemory(id)).toMatchObject({
      nodes: [
        { entity_name: 'Acme', entity_type: 'unknown' },
        { entity_name: 'Ada', properties: { city: 'Bern' } },
      ],
      edges: [{ source_entity_name: 'Ada', target_entity_name: 'Acme' }],
    });
    expect(await run(id)).toBe('success');
    expect(systemOfLast()).toContain('"properties":{"city":"Bern"}');
    expect((await loadMemory(id)).nodes).toHaveLength(2);
  });

  test('an agent of the same workflow uses a memory that is shared with it, and writes it where it may', async () => {
    const shares = [{ peerCanvasNodeId: 'boss', permission: 'write' }];
    const { nodes, edges } = agentGraph(model);
    const keeper = {
      id: 'keeper',
      type: 'agent',
      position: { x: 0, y: 9 },
      data: { label: 'keeper', memoryShares: shares },
    };
    const id = await createWorkflow(owner, {
      nodes: [...nodes, { ...keeper, data: { ...keeper.data, active: false } }],
      edges,
    });
    await add(id, 'Grace', {}, 'keeper');
    await run(id);
    expect(systemOfLast()).toContain('memory of="keeper"');
    const { nodes: kept } = await loadMemory(id, owner, 'keeper');
    expect(kept.map(({ entity_name }) => entity_name)).toEqual(['Acme', 'Ada', 'Grace']);
    expect((await loadMemory(id)).nodes).toEqual([]);
  });

  test('a memory is shared with an agent of another workflow of the same owner, for as long as it is published so', async () => {
    const peer = await createWorkflow(owner, agentGraph(model));
    const shares = [{ peerWorkflowId: peer, peerCanvasNodeId: 'boss', permission: 'read' }];
    const id = await createWorkflow(owner, agentGraph({ memoryShares: shares }));
    await add(id, 'Grace');
    await run(peer);
    expect(systemOfLast()).toContain('"entity_name":"Grace"');
    expect((await loadMemory(id)).nodes).toHaveLength(1);
    await owner.call('PUT', `/api/workflows/${id}`, { ...agentGraph() });
    await run(peer);
    expect(systemOfLast()).toBe('');
  });

  test('no one puts facts into the prompt of an agent that is not theirs', async () => {
    const peer = await createWorkflow(owner, agentGraph(model));
    const shares = [{ peerWorkflowId: peer, peerCanvasNodeId: 'boss', permission: 'read' }];
    // Neither a person who does not see the workflow, nor one whom it is shared with.
    for (const isShared of [false, true]) {
      if (isShared) await owner.call('POST', `/api/workflows/${peer}/shares`, { email: stranger.email });
      const id = await createWorkflow(stranger, agentGraph({ memoryShares: shares }));
      await stranger.call('POST', memoryUrl(id, 'nodes'), { entity_name: 'Evil', entity_type: 'x' });
      await run(peer);
      expect(systemOfLast()).toBe('');
    }
  });

  test('a collaborator shares no memory with a workflow that they do not see, and keeps what the owner shared', async () => {
    const peer = await createWorkflow(owner, agentGraph(model));
    const share = (permission: string) =>
      agentGraph({ memoryShares: [{ peerWorkflowId: peer, peerCanvasNodeId: 'boss', permission }] });
    const id = await createWorkflow(owner, share('read'));
    await owner.call('POST', `/api/workflows/${id}/shares`, { email: friend.email });
    await add(id, 'Grace');
    const edit = async (permission: string, note: string) => {
      const { nodes, edges } = share(permission);
      const moved = nodes.map((node) => ({ ...node, position: { x: note.length, y: 0 } }));
      expect((await friend.call('PUT', `/api/workflows/${id}`, { nodes: moved, edges })).statusCode).toBe(
        200,
      );
      await run(peer);
      return systemOfLast();
    };
    expect(await edit('read', 'same')).toContain('Grace');
    expect(await edit('write', 'more rights')).toBe('');
  });

  test('credential values are hidden in what it remembers', async () => {
    const secret = 'k-0123456789';
    const talkative = await startFakeProvider((call) => (isLearning(call) ? learned(secret) : says('Fine')));
    const made = await owner.call('POST', '/api/credentials', {
      name: 'talkative',
      type: 'custom',
      config: { api_key: secret, base_url: talkative.url },
    });
    const data = { model: 'm1', credentialId: made.json<{ id: string }>().id, persistentMemoryEnabled: true };
    const id = await createWorkflow(owner, agentGraph(data));
    await run(id);
    talkative.stop();
    const ada = (await loadMemory(id)).nodes.find(({ entity_name }) => entity_name === 'Ada');
    expect(ada?.properties).toEqual({ city: 'k-01234**' });
  });
});

describeOnPostgres('an agent whose process goes while facts are taken from its conversation', () => {
  test('pays for its answer once and writes them on the next process', async () => {
    const postgres = await openPostgresForTest();
    let canLearn = false;
    const provider = await startFakeProvider((call) => {
      if (!isLearning(call)) return says('Fine');
      return canLearn ? learned('Bern') : { chunks: [], end: 'hang' };
    });
    const open = () =>
      createTestApp({
        database: openPostgres({ url: postgres.url, log: silent }),
        env: { HTTP_ALLOW_PRIVATE_URLS: 'true' },
      });
    const one = await open();
    const user = await one.user();
    const made = await user.call('POST', '/api/credentials', {
      name: 'models',
      type: 'custom',
      config: { api_key: 'k-0123456789', base_url: provider.url },
    });
    const data = { model: 'm1', credentialId: made.json<{ id: string }>().id, persistentMemoryEnabled: true };
    const id = await createWorkflow(user, agentGraph(data));
    const abandoned = user.call('POST', executeUrl(id), { text: 'hi' });
    await until(async () => provider.seen.some(isLearning));

    canLearn = true;
    const two = await open();
    await one.services.execution.drain(0);
    await abandoned;
    const headers = { authorization: `Bearer ${user.access_token}` };
    const memory = await until(async () => {
      const found = (await two.call('GET', memoryUrl(id), undefined, headers)).json<MemoryGraph>();
      return found.edges.length > 0 && found;
    });
    expect(memory.nodes.map(({ entity_name }) => entity_name)).toEqual(['Acme', 'Ada']);
    expect(provider.seen.map(isLearning)).toEqual([false, true, true]);

    await one.app.close();
    await one.services.database.close();
    await two.close();
    await postgres.database.close();
    provider.stop();
  });
});
