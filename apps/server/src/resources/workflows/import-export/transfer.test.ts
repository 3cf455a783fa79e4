import type { ImportWarning, Workflow, WorkflowProblem, WorkflowWithInputs } from '@millrace/contracts';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { newId } from '../../../core/ids.ts';
import { credentials, workflows } from '../../../database/schema/index.ts';
import { useTestApp } from '../../../testing/index.ts';
import { usableIds } from '../queries.ts';
import { shareWith } from '../testing/sharing.ts';

const app = await useTestApp();
const owner = await app.user();
const friend = await app.user();
const stranger = await app.user();

const node = (id: string, type = 'set', data: Record<string, unknown> = {}) => ({
  id,
  type,
  position: { x: 1, y: 2 },
  data: { label: id, ...data },
});
const edge = (source: string, target: string) => ({ id: `${source}-${target}`, source, target });
const GRAPH = { nodes: [node('start', 'textInput'), node('end', 'output')], edges: [edge('start', 'end')] };
const create = async (body: Record<string, unknown> = {}) =>
  (await owner.call('POST', '/api/workflows', { name: 'One', ...body })).json<Workflow>();
const importFile = (body: unknown, user = owner) => user.call('POST', '/api/workflows/import', body);
interface Imported {
  workflow: Workflow;
  warnings: ImportWarning[];
}

describe('POST /api/workflows/import', () => {
  it('201 for every shape that exports of the field have', async () => {
    const record = { ...GRAPH, name: 'Record', description: 'Old', owner_id: 'x', id: 'y', auth_type: 'jwt' };
    const cases: [body: unknown, name: string][] = [
      [{ ...GRAPH }, 'Imported Workflow'],
      [{ ...GRAPH, name: 'Named' }, 'Named'],
      [{ heym: true, ...GRAPH }, 'Imported Workflow'],
      [record, 'Record'],
      [{ document: GRAPH, file_name: 'my-flow.json' }, 'my-flow'],
      [{ document: { ...GRAPH, name: 'Inside' }, file_name: 'my-flow.json' }, 'Inside'],
      [{ document: { ...GRAPH, name: 'Inside' }, name: 'Chosen' }, 'Chosen'],
      [{ document: { nodes: [] } }, 'Imported Workflow'],
    ];
    for (const [body, name] of cases) {
      const answer = await importFile(body);
      expect(answer.statusCode, JSON.stringify(body).slice(0, 80)).toBe(201);
      expect(answer.json<Imported>().workflow).toMatchObject({ name, owner_id: owner.id, version_number: 1 });
    }
    const { workflow } = (await importFile({ document: GRAPH, file_name: 'a.json' })).json<Imported>();
    expect(workflow).toMatchObject({ ...GRAPH, description: 'Imported from a.json' });
  });

  it('201 repairs what can be repaired and says so', async () => {
    const answer = await importFile({
      nodes: [
        { id: 1, type: 'set', data: { label: 'a', status: 'success', __secret: 1 } },
        { id: 1, type: 'set', data: { label: 'a' } },
      ],
      edges: [{ source: 1, target: '1_2' }, { source: 1, target: 'gone' }, { source: 1 }],
    });
    const { workflow, warnings } = answer.json<Imported>();
    expect(workflow.nodes.map((item) => item.id)).toEqual(['1', '1_2']);
    expect(workflow.nodes[0]?.data).toEqual({ label: 'a' });
    expect(workflow.edges).toHaveLength(1);
    expect(warnings.map((warning) => warning.field)).toEqual([
      'edges.1',
      'edges.2',
      'nodes.1.id',
      'nodes.1.data.label',
    ]);
  });

  it('201 takes valid settings of a full record, and neither authentication nor owner nor portal', async () => {
    const answer = await importFile({
      ...GRAPH,
      name: 'Record',
      owner_id: stranger.id,
      id: newId(),
      http_method: 'GET',
      cache_ttl_seconds: 60,
      rate_limit_requests: 'many',
      webhook_body_mode: 'legacy',
      auth_type: 'anonymous',
      auth_header_value: 'secret',
      portal_enabled: true,
      portal_slug: 'theirs',
      scheduled_for_deletion: '2020-01-01T00:00:00Z',
      mcp_enabled: true,
    });
    const { workflow, warnings } = answer.json<Imported>();
    expect(workflow).toMatchObject({
      owner_id: owner.id,
      http_method: 'GET',
      cache_ttl_seconds: 60,
      rate_limit_requests: null,
      webhook_body_mode: 'defined',
      auth_type: 'jwt',
      auth_header_value_set: false,
      portal_enabled: false,
      portal_slug: null,
      scheduled_for_deletion: null,
      mcp_enabled: false,
    });
    expect(warnings.map((warning) => warning.field).sort()).toEqual([
      'auth_header_value',
      'auth_type',
      'mcp_enabled',
      'portal_enabled',
      'portal_slug',
      'rate_limit_requests',
      'scheduled_for_deletion',
    ]);
  });

  it('201 leaves out a setting that contradicts another, as a save refuses it', async () => {
    const contradiction = { queue_overflow: 'drop_oldest', queue_limit: 0 };
    const { id } = (await importFile({ ...GRAPH })).json<Imported>().workflow;
    const saved = await owner.call('PUT', `/api/workflows/${id}`, contradiction);
    const refused = saved.json<{ detail: { loc: string[] }[] }>().detail[0]?.loc.at(-1);
    const answer = await importFile({ ...GRAPH, ...contradiction, concurrency_limit: 2 });
    const { workflow, warnings } = answer.json<Imported>();
    expect([saved.statusCode, answer.statusCode]).toEqual([422, 201]);
    expect(workflow).toMatchObject({
      queue_overflow: 'drop_oldest',
      queue_limit: null,
      concurrency_limit: 2,
    });
    expect(warnings.map(({ field }) => field)).toEqual([refused]);
  });

  it('§2.1: 201 keeps the start messages of nodes, also of one that gets another address', async () => {
    const answer = await importFile({
      nodes: [node('hook', 'webhookTrigger'), node('end', 'output')],
      edges: [edge('hook', 'end')],
      sse_node_config: { hook: { send_start: true, start_message: 'Called' }, end: { send_start: true } },
    });
    const { workflow } = answer.json<Imported>();
    const hook = workflow.nodes[0]?.id ?? '';
    expect(hook).not.toBe('hook');
    expect(workflow.sse_node_config).toEqual({
      [hook]: { send_start: true, start_message: 'Called' },
      end: { send_start: true, start_message: null },
    });
  });

  it('201 clears references to workflows that the importer cannot see and keeps the others', async () => {
    const [mine, theirs] = [
      await create(),
      (await stranger.call('POST', '/api/workflows', { name: 'Theirs' })).json<Workflow>(),
    ];
    const call = (id: string, executeWorkflowId: string) =>
      node(id, 'execute', { executeWorkflowId, targetWorkflowName: 'Target' });
    const answer = await importFile({
      nodes: [call('a', mine.id), call('b', theirs.id), call('c', newId())],
    });
    const { workflow, warnings } = answer.json<Imported>();
    expect(workflow.nodes.map((item) => item.data['executeWorkflowId'])).toEqual([mine.id, '', '']);
    expect(workflow.nodes.map((item) => item.data['targetWorkflowName'])).toEqual(['Target', '', '']);
    const cleared = warnings.filter(({ field }) => field.endsWith('.data.executeWorkflowId'));
    expect(cleared.map(({ field }) => field)).toEqual([
      'nodes.1.data.executeWorkflowId',
      'nodes.2.data.executeWorkflowId',
    ]);
  });

  it('422 names what cannot be read, and nothing is stored', async () => {
    const before = (await owner.call('GET', '/api/workflows')).json<unknown[]>().length;
    const cases: [body: unknown, loc: (string | number)[]][] = [
      [{}, ['body', 'nodes']],
      [{ nodes: 'x' }, ['body', 'nodes']],
      [{ nodes: [5] }, ['body', 'nodes', 0]],
      [{ nodes: [{ id: 'a' }] }, ['body', 'nodes', 0, 'type']],
      [{ nodes: [], edges: 5 }, ['body', 'edges']],
      [{ document: [] }, ['body', 'document']],
      [{ nodes: [node('a', 'set', { x: 'a\u0000' })] }, ['body', 'nodes', 0, 'data', 'x']],
      [{ nodes: [], name: 'a\u0000' }, ['body', 'name']],
      [{ document: { nodes: [], description: 'a\u0000' } }, ['body', 'description']],
    ];
    for (const [body, loc] of cases) {
      const answer = await importFile(body);
      expect(answer.statusCode, JSON.stringify(body)).toBe(422);
      expect(answer.json().detail[0].loc).toEqual(loc);
    }
    expect((await owner.call('GET', '/api/workflows')).json()).toHaveLength(before);
  });
});

describe('GET /api/workflows/{id}/export', () => {
  it('200 as a file that imports to the same graph', async () => {
    const workflow = await create({ ...GRAPH, name: 'Über Flow', description: 'What for' });
    const answer = await owner.call('GET', `/api/workflows/${workflow.id}/export`);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toContain('application/json');
    expect(answer.headers['content-disposition']).toBe(
      `attachment; filename="workflow.json"; filename*=UTF-8''${encodeURIComponent('über-flow.json')}`,
    );
    expect(answer.json()).toEqual({ name: 'Über Flow', description: 'What for', ...GRAPH });
    const again = (await importFile(answer.json(), friend)).json<Imported>();
    expect(again.warnings).toEqual([]);
    expect(again.workflow).toMatchObject({ name: 'Über Flow', description: 'What for', ...GRAPH });
  });

  it('no name breaks out of the header', async () => {
    const workflow = await create({ name: '../../"\r\nSet-Cookie: x=1; <b>' });
    const answer = await owner.call('GET', `/api/workflows/${workflow.id}/export`);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(answer.headers['content-disposition']).not.toMatch(/[\r\n/]|\.\./);
  });
});

describe('GET /api/workflows/{id}/problems', () => {
  const UNFINISHED = {
    nodes: [node('start', 'textInput'), node('call', 'execute'), node('odd', 'fromElsewhere')],
    edges: [edge('start', 'call'), edge('call', 'nowhere')],
  };

  it('200 names node and field of each shortcoming; a save answers the same list', async () => {
    const workflow = await create();
    const saved = await owner.call('PUT', `/api/workflows/${workflow.id}`, UNFINISHED);
    expect(saved.statusCode).toBe(200);
    const answer = await owner.call('GET', `/api/workflows/${workflow.id}/problems`);
    const { problems } = answer.json<{ problems: WorkflowProblem[] }>();
    expect(saved.json().problems).toEqual(problems);
    expect(problems.map((problem) => problem.node_id)).toEqual(expect.arrayContaining(['call', 'odd']));
    expect(problems.some((problem) => problem.edge_id === 'call-nowhere')).toBe(true);
    for (const problem of problems) expect(problem.message).not.toBe('');
  });

  it('200 finds nothing in a sound graph', async () => {
    const workflow = await create(GRAPH);
    const answer = await owner.call('GET', `/api/workflows/${workflow.id}/problems`);
    expect(
      answer.json<{ problems: WorkflowProblem[] }>().problems.filter((p) => p.severity === 'error'),
    ).toEqual([]);
  });
});

describe('GET /api/workflows/with-inputs', () => {
  it('200 lists visible workflows with their input fields and output node', async () => {
    const [ada, bert] = [await app.user(), await app.user()];
    const shared = (
      await bert.call('POST', '/api/workflows', {
        name: 'Asks',
        nodes: [
          node('start', 'textInput', {
            inputFields: [{ key: 'city', defaultValue: 'Bern' }, { key: 'day' }],
          }),
          node('answer', 'output', { message: '$start.body.city' }),
        ],
        edges: [edge('start', 'answer')],
      })
    ).json<Workflow>();
    await bert.call('POST', '/api/workflows', { name: 'Private' });
    await shareWith(app, shared.id, ada);
    const list = (await ada.call('GET', '/api/workflows/with-inputs')).json<WorkflowWithInputs[]>();
    expect(list).toEqual([
      {
        id: shared.id,
        name: 'Asks',
        description: null,
        input_fields: [{ key: 'city', defaultValue: 'Bern' }, { key: 'day' }],
        output_node: { label: 'answer', node_type: 'output', output_expression: '$start.body.city' },
        created_at: shared.created_at,
        updated_at: shared.updated_at,
      },
    ]);
  });
});

describe('facts kept beside the graph', () => {
  const readFacts = async (id: string) => {
    const rows = await app.services.database.db
      .select({ first: workflows.first_node_type, inactive: workflows.triggers_inactive })
      .from(workflows)
      .where(eq(workflows.id, id));
    return rows[0];
  };

  it('first_node_type and triggers_inactive follow every save', async () => {
    const workflow = await create();
    expect(await readFacts(workflow.id)).toEqual({ first: null, inactive: true });
    const put = (nodes: unknown[]) => owner.call('PUT', `/api/workflows/${workflow.id}`, { nodes });
    await put([node('note', 'sticky'), node('timer', 'cron')]);
    expect(await readFacts(workflow.id)).toEqual({ first: 'cron', inactive: false });
    await put([node('timer', 'cron', { active: false }), node('in', 'textInput')]);
    expect(await readFacts(workflow.id)).toEqual({ first: 'textInput', inactive: false });
    await put([node('timer', 'cron', { active: false }), node('failed', 'errorHandler')]);
    expect(await readFacts(workflow.id)).toMatchObject({ inactive: true });
  });
});

describe('GET /api/workflows/{id}/used-by', () => {
  it('200 lists the nodes that call the workflow, as the last save left them', async () => {
    const target = await create({ name: 'Target' });
    const call = (id: string) => node(id, 'execute', { executeWorkflowId: target.id });
    const caller = await create({ name: 'Caller', nodes: [call('a'), call('b'), node('c')] });
    const hidden = await stranger.call('POST', '/api/workflows', { name: 'Hidden', nodes: [call('x')] });
    expect(hidden.statusCode).toBe(201);
    const uses = async () => (await owner.call('GET', `/api/workflows/${target.id}/used-by`)).json();
    const use = (node_id: string) => ({ workflow_id: caller.id, workflow_name: 'Caller', node_id });
    expect(await uses()).toEqual([use('a'), use('b')]);
    await owner.call('PUT', `/api/workflows/${caller.id}`, { nodes: [call('b')] });
    expect(await uses()).toEqual([use('b')]);
    await owner.call('DELETE', `/api/workflows/${caller.id}`);
    expect(await uses()).toEqual([]);
  });
});

describe('usableIds', () => {
  it('of the credentials and workflows that a graph names, knows those that the person may use', async () => {
    const { db } = app.services.database;
    const [mine, theirs] = [newId(), newId()];
    const row = { type: 'bearer', encrypted_config: 'x', key_id: 'k' };
    await db.insert(credentials).values([
      { ...row, id: mine, owner_id: owner.id, name: 'Mine' },
      { ...row, id: theirs, owner_id: stranger.id, name: 'Theirs' },
    ]);
    const own = await create();
    const named = { credentials: [mine, theirs, newId()], workflows: [own.id, newId()] };
    expect([...(await usableIds(db, owner.id, named))].sort()).toEqual([mine, own.id].sort());
    expect((await usableIds(db, friend.id, named)).size).toBe(0);
  });
});
