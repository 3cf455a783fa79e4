import { buffer } from 'node:stream/consumers';
import type { Folder, FolderImport, FolderTree, Workflow } from '@millrace/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Entry, fromBufferPromise } from 'yauzl';
import { ZipFile } from 'yazl';
import { newId } from '../../core/ids.ts';
import { shareTestApp, type TestApp, type TestUser } from '../../testing/index.ts';

let app: TestApp;
let me: TestUser;
let other: TestUser;
beforeAll(async () => {
  app = await shareTestApp();
});
beforeEach(async () => {
  me = await app.user('Me');
  other = await app.user('Other');
});
afterAll(() => app.close());

const NOWHERE = '11111111-1111-4111-8111-111111111111';

async function folder(name: string, parent_id?: string, user = me): Promise<string> {
  const answer = await user.call('POST', '/folders', { name, parent_id });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<{ id: string }>().id;
}

async function workflow(name: string, folder_id?: string, nodes: unknown[] = [], user = me): Promise<string> {
  const { id } = (await user.call('POST', '/api/workflows', { name, nodes, edges: [] })).json<{
    id: string;
  }>();
  if (folder_id) await user.call('PUT', `/folders/${folder_id}/workflows/${id}`);
  return id;
}

interface Tree {
  name: string;
  children: Tree[];
  workflows: { name: string }[];
}
const shape = (trees: Tree[]): unknown =>
  trees.map(({ name, children, workflows }) => [name, shape(children), workflows.map((item) => item.name)]);
const tree = async (user = me) => shape((await user.call('GET', '/folders/tree')).json<Tree[]>());

describe('GET /folders and /folders/tree', () => {
  test('§2.2, §4.5: root folders by name; the tree holds children and workflows', async () => {
    const b = await folder('b');
    const a = await folder('a');
    const inner = await folder('inner', a);
    await workflow('deep', inner);
    await workflow('flat', b);
    const roots = (await me.call('GET', '/folders')).json<{ name: string }[]>();
    expect(roots.map((item) => item.name)).toEqual(['a', 'b']);
    expect(await tree()).toEqual([
      ['a', [['inner', [], ['deep']]], []],
      ['b', [], ['flat']],
    ]);
    expect(await tree(other)).toEqual([]);
  });

  test('the paths also answer under /api', async () => {
    const id = await folder('x');
    for (const path of ['/folders', '/folders/tree', `/folders/${id}`]) {
      const plain = await me.call('GET', path);
      expect((await me.call('GET', `/api${path}`)).json()).toEqual(plain.json());
    }
    const scheduled = await me.call('PUT', `/api/workflows/${await workflow('w')}/schedule-deletion`);
    expect(scheduled.statusCode).toBe(200);
  });
});

describe('GET /folders/{id}', () => {
  test('§4.5: one level of contents; 404 for others', async () => {
    const id = await folder('parent');
    await folder('child', id);
    await workflow('inside', id);
    expect((await me.call('GET', `/folders/${id}`)).json()).toMatchObject({
      name: 'parent',
      children: [{ name: 'child' }],
      workflows: [{ name: 'inside', folder_id: id }],
    });
    expect((await other.call('GET', `/folders/${id}`)).statusCode).toBe(404);
    expect((await app.call('GET', `/folders/${id}`)).statusCode).toBe(401);
  });
});

describe('POST /folders', () => {
  test('§2.2, §4.5: 201 with name, optional description and the parent, which is null for the root', async () => {
    const create = (body: object) => me.call('POST', '/folders', body);
    const root = await create({ name: 'Reports & more', parent_id: null });
    expect([root.statusCode, root.json()]).toMatchObject([
      201,
      { name: 'Reports & more', description: null, parent_id: null },
    ]);
    const told = await create({ name: 'told', description: 'What is in it' });
    expect(told.json()).toMatchObject({ description: 'What is in it', parent_id: null });
    const { id: parent_id } = root.json<Folder>();
    expect((await create({ name: 'child', parent_id })).json()).toMatchObject({ parent_id });
  });

  test('§4.5: a name that is not whole text is stored as it is answered', async () => {
    const answer = await me.call('POST', '/folders', { name: 'half \ud83d' });
    expect(answer.json()).toMatchObject({ name: 'half \ufffd' });
  });

  test('422: an empty name; 404: a folder of another user as parent', async () => {
    const foreign = await folder('theirs', undefined, other);
    expect((await me.call('POST', '/folders', { name: ' ' })).statusCode).toBe(422);
    expect((await me.call('POST', '/folders', { name: 'x', parent_id: foreign })).statusCode).toBe(404);
    expect((await me.call('POST', '/folders', { name: 'x', parent_id: NOWHERE })).statusCode).toBe(404);
  });

  test('400: deeper than 32', async () => {
    let parent: string | undefined;
    for (let depth = 0; depth < 32; depth++) parent = await folder(`level ${depth}`, parent);
    const answer = await me.call('POST', '/folders', { name: 'too deep', parent_id: parent });
    expect(answer.statusCode).toBe(400);
  });
});

describe('PUT /folders/{id}', () => {
  test('§4.5: renames and moves; without a parent the folder stays where it is', async () => {
    const [parent, other] = [await folder('parent'), await folder('other')];
    const id = await folder('old', parent);
    const put = async (body: object) => (await me.call('PUT', `/folders/${id}`, body)).json<Folder>();
    expect(await put({ name: 'new' })).toMatchObject({ name: 'new', parent_id: parent });
    expect(await put({ name: 'newer', parent_id: other })).toMatchObject({ name: 'newer', parent_id: other });
  });

  test.each([null, '00000000-0000-0000-0000-000000000000'])(
    '§2.2: the parent %s moves the folder to the root',
    async (parent_id) => {
      const id = await folder('inner', await folder('parent'));
      const moved = await me.call('PUT', `/folders/${id}`, { parent_id });
      expect(moved.json()).toMatchObject({ id, parent_id: null });
      expect((await me.call('GET', '/folders')).json<Folder[]>().map((root) => root.id)).toContain(id);
    },
  );

  test('§2.2: 400: into itself or into a sub-folder; nothing moves', async () => {
    const top = await folder('top');
    const middle = await folder('middle', top);
    const bottom = await folder('bottom', middle);
    for (const parent_id of [top, middle, bottom]) {
      expect((await me.call('PUT', `/folders/${top}`, { parent_id })).statusCode).toBe(400);
    }
    expect(await tree()).toEqual([['top', [['middle', [['bottom', [], []]], []]], []]]);
  });

  test('400: into a sub-folder whose id is written in capitals', async () => {
    const top = await folder('top');
    const below = await folder('below', top);
    const answer = await me.call('PUT', `/folders/${top}`, { parent_id: below.toUpperCase() });
    expect(answer.statusCode).toBe(400);
    expect(await tree()).toEqual([['top', [['below', [], []]], []]]);
  });

  test('two moves that would form a cycle together: one is refused', async () => {
    const [a, b] = [await folder('a'), await folder('b')];
    const answers = await Promise.all([
      me.call('PUT', `/folders/${a}`, { parent_id: b }),
      me.call('PUT', `/folders/${b}`, { parent_id: a }),
    ]);
    expect(answers.map((answer) => answer.statusCode).sort()).toEqual([200, 400]);
  });
});

describe('DELETE /folders/{id}', () => {
  test('§4.5: takes sub-folders along and schedules the workflows for deletion', async () => {
    const top = await folder('top');
    const inner = await folder('inner', top);
    const id = await workflow('kept', inner);
    expect((await other.call('DELETE', `/folders/${top}`)).statusCode).toBe(404);
    expect((await me.call('DELETE', `/folders/${top}`)).statusCode).toBe(204);
    expect(await tree()).toEqual([]);
    expect((await me.call('GET', `/folders/${inner}`)).statusCode).toBe(404);
    const left = (await me.call('GET', `/api/workflows/${id}`)).json<{
      scheduled_for_deletion: string | null;
    }>();
    expect(left).toMatchObject({ folder_id: null });
    expect(left.scheduled_for_deletion).not.toBeNull();
  });

  test('§4.5: schedules the workflows also when its id is written in capitals', async () => {
    const top = await folder('top');
    const id = await workflow('w', top);
    expect((await me.call('DELETE', `/folders/${top.toUpperCase()}`)).statusCode).toBe(204);
    expect((await me.call('GET', `/api/workflows/${id}`)).json()).toMatchObject({
      folder_id: null,
      scheduled_for_deletion: expect.any(String),
    });
  });

  test('a shared workflow in it only leaves the folder', async () => {
    const theirs = await workflow('theirs', undefined, [], other);
    await other.call('POST', `/api/workflows/${theirs}/shares`, { email: me.email });
    const mine = await folder('mine');
    await me.call('PUT', `/folders/${mine}/workflows/${theirs}`);
    await me.call('DELETE', `/folders/${mine}`);
    expect((await me.call('GET', `/api/workflows/${theirs}`)).json()).toMatchObject({ folder_id: null });
    expect((await other.call('GET', `/api/workflows/${theirs}`)).json()).toMatchObject({
      scheduled_for_deletion: null,
    });
  });
});

describe('workflows in folders', () => {
  test('§2.2, §4.5: PUT and DELETE of a workflow move it into a folder and out of it', async () => {
    const [home, id] = [await folder('home'), await workflow('w')];
    const moved = await me.call('PUT', `/folders/${home}/workflows/${id}`);
    expect(moved.json()).toMatchObject({ id, folder_id: home });
    expect((await me.call('GET', `/api/workflows/${id}`)).json()).toMatchObject({ folder_id: home });
    const removed = await me.call('DELETE', `/folders/workflows/${id}/folder`);
    expect(removed.json()).toMatchObject({ id, folder_id: null });
  });

  test('§2.2: a shared workflow is in the folder that each person chose', async () => {
    const id = await workflow('shared');
    await me.call('POST', `/api/workflows/${id}/shares`, { email: other.email });
    const [mine, theirs] = [await folder('mine'), await folder('theirs', undefined, other)];
    await me.call('PUT', `/folders/${mine}/workflows/${id}`);
    await other.call('PUT', `/folders/${theirs}/workflows/${id}`);
    expect(await tree()).toEqual([['mine', [], ['shared']]]);
    expect(await tree(other)).toEqual([['theirs', [], ['shared']]]);
    const theirTree = (await other.call('GET', '/folders/tree')).json<FolderTree[]>();
    expect(theirTree).toMatchObject([{ workflows: [{ id, folder_id: theirs }] }]);
    const shares = await me.call('GET', `/api/workflows/${id}/shares`);
    expect(shares.json()).toMatchObject([{ user_id: other.id, folder_id: theirs, mcp_enabled: false }]);
    expect((await other.call('PUT', `/folders/${mine}/workflows/${id}`)).statusCode).toBe(404);
    expect((await me.call('DELETE', `/folders/workflows/${id}/folder`)).json()).toMatchObject({
      folder_id: null,
    });
    expect(await tree(other)).toEqual([['theirs', [], ['shared']]]);
  });

  test('one that reaches a person through a team too, until the membership ends', async () => {
    const team = (await me.call('POST', '/api/teams', { name: 'T' })).json<{ id: string }>().id;
    await me.call('POST', `/api/teams/${team}/members`, { email: other.email });
    const id = await workflow('of the team');
    await me.call('POST', `/api/workflows/${id}/team-shares`, { team_id: team });
    const theirs = await folder('theirs', undefined, other);
    const moved = await other.call('PUT', `/folders/${theirs}/workflows/${id}`);
    expect(moved.json()).toMatchObject({ folder_id: theirs, shared_by_team: 'T' });
    expect(await tree(other)).toEqual([['theirs', [], ['of the team']]]);
    await me.call('DELETE', `/api/teams/${team}/members/${other.id}`);
    expect(await tree(other)).toEqual([['theirs', [], []]]);
  });

  test('§3.3, §4.5: PUT schedule-deletion sets scheduled_for_deletion and clears folder_id', async () => {
    const id = await workflow('w', await folder('f'));
    const answer = await me.call('PUT', `/workflows/${id}/schedule-deletion`);
    expect(answer.json()).toMatchObject({ folder_id: null, scheduled_for_deletion: expect.any(String) });
  });

  test('404: a workflow that one cannot see', async () => {
    const mine = await folder('mine');
    const foreign = await workflow('foreign', undefined, [], other);
    expect((await me.call('PUT', `/folders/${mine}/workflows/${foreign}`)).statusCode).toBe(404);
    expect((await me.call('DELETE', `/folders/workflows/${foreign}/folder`)).statusCode).toBe(404);
  });
});

async function readEntries(bytes: Buffer): Promise<Record<string, unknown>> {
  const zip = await fromBufferPromise(bytes);
  const found: Record<string, unknown> = {};
  for await (const entry of zip.eachEntry() as AsyncIterable<Entry>) {
    if (entry.fileName.endsWith('/')) found[entry.fileName] = null;
    else
      found[entry.fileName] = JSON.parse((await buffer(await zip.openReadStreamPromise(entry))).toString());
  }
  return found;
}

async function buildZip(files: Record<string, string | Buffer>, mode?: number): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [path, content] of Object.entries(files)) {
    zip.addBuffer(Buffer.from(content), path, mode === undefined ? {} : { mode });
  }
  zip.end();
  return buffer(zip.outputStream);
}

const upload = (bytes: Buffer, user = me, query = '') =>
  user.call('POST', `/folders/import${query}`, bytes, { 'content-type': 'application/zip' });

const node = (id: string, data: Record<string, unknown> = {}, type = 'set') => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data: { label: id, ...data },
});

describe('GET /folders/{id}/export', () => {
  test('§4.5: folders become directories, workflows files; names are safe and unique', async () => {
    const top = await folder('Top/../..');
    await folder('empty', top);
    await workflow('same', top, [node('n1')]);
    await workflow('SAME', top);
    const answer = await me.call('GET', `/folders/${top}/export`);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('application/zip');
    expect(answer.headers['content-disposition']).toContain('attachment');
    const entries = await readEntries(answer.rawPayload);
    expect(Object.keys(entries).sort()).toEqual(
      ['Top_.._/same.json', 'Top_.._/empty/', 'Top_.._/SAME (2).json'].sort(),
    );
    expect(Object.values(entries)).toContainEqual(
      expect.objectContaining({ name: 'same', nodes: [expect.objectContaining({ id: 'n1' })], edges: [] }),
    );
    expect((await other.call('GET', `/folders/${top}/export`)).statusCode).toBe(404);
  });
});

describe('POST /folders/import', () => {
  describe('several workflows in one file', () => {
    const n8n = (type: string, name: string, parameters: object = {}) => ({
      name,
      type: `n8n-nodes-base.${type}`,
      typeVersion: 1,
      position: [0, 0],
      parameters,
    });
    const caller = {
      id: 'Ab12',
      name: 'Main / daily',
      nodes: [
        n8n('manualTrigger', 'Start'),
        n8n('executeWorkflow', 'Call', {
          workflowId: { __rl: true, mode: 'list', value: 'Cd34', cachedResultName: 'Sub' },
        }),
        n8n('executeWorkflow', 'Lost', { workflowId: 'Ef56' }),
      ],
      connections: {
        Start: { main: [[{ node: 'Call', type: 'main', index: 0 }]] },
        Call: { main: [[{ node: 'Lost', type: 'main', index: 0 }]] },
      },
    };
    const called = {
      id: 'Cd34',
      name: 'Sub',
      nodes: [n8n('executeWorkflowTrigger', 'Called')],
      connections: {},
    };
    const asList = (json: unknown) => Buffer.from(` ${JSON.stringify(json)}`);

    test.each([
      ['a list as the command line of n8n writes it', () => asList([caller, called])],
      ['an answer of the API of n8n', () => asList({ data: [caller, called], nextCursor: null })],
      ['a list inside a ZIP', () => buildZip({ 'all.json': JSON.stringify([caller, called]) })],
    ])('201 imports %s, and the workflows find each other', async (_, make) => {
      const answer = await upload(await make());
      expect(answer.statusCode, answer.body).toBe(201);
      const made = answer.json<FolderImport>();
      expect(made.workflows.map(({ name }) => name)).toEqual(['Main / daily', 'Sub']);
      expect(made.folders).toEqual([]);
      expect(made.missing_workflows).toMatchObject([{ node_label: 'Lost', id: 'Ef56' }]);
      const [main, sub] = made.workflows;
      const { nodes } = (await me.call('GET', `/api/workflows/${main?.id}?draft=true`)).json<Workflow>();
      const ids = nodes.map(({ data }) => data['executeWorkflowId']);
      expect(ids).toEqual([undefined, sub?.id, '']);
    });

    const readGraph = async (id: string | undefined) =>
      (await me.call('GET', `/api/workflows/${id}?draft=true`)).json<Workflow>();
    const plain = (name: string, more: object = {}) => ({ name, nodes: [node(name)], edges: [], ...more });

    test('the report of a workflow says what it calls and is not there', async () => {
      const made = (await upload(asList([caller, called]))).json<FolderImport>();
      const report = await me.call('GET', `/api/workflows/${made.workflows[0]?.id}/import-report`);
      const { lines } = report.json<{ report: { lines: { field: string; message: string }[] } }>().report;
      expect(lines.filter(({ field }) => field.endsWith('executeWorkflowId'))).toEqual([
        {
          node_id: expect.any(String),
          field: 'nodes.2.executeWorkflowId',
          message: '"Lost" calls a workflow that you cannot see here; choose it again',
        },
      ]);
    });

    test('files whose names equal those of entries of a list stay apart', async () => {
      const answer = await upload(
        await buildZip({
          'workflows.json': JSON.stringify([plain('L1'), plain('L2')]),
          'workflows.json (1).json': JSON.stringify(plain('Single')),
          'workflows (1).json': JSON.stringify(plain('Other')),
        }),
      );
      const made = answer.json<FolderImport>();
      const labels = await Promise.all(
        made.workflows.map(async ({ id, name }) => [name, (await readGraph(id)).nodes[0]?.data['label']]),
      );
      expect(labels).toEqual(['L1', 'L2', 'Single', 'Other'].map((name) => [name, name]));
    });

    test('entries without nodes and further pages are named, and numbers are ids', async () => {
      const calls = { ...node('call', { executeWorkflowId: '2' }, 'execute') };
      const list = [plain('A', { id: 1, nodes: [calls] }), { name: 'C' }, plain('B', { id: 2 })];
      const made = (await upload(asList({ data: list, nextCursor: 'eyJ' }))).json<FolderImport>();
      const [a, b] = made.workflows;
      expect(made.workflows).toMatchObject([{ name: 'A' }, { name: 'B' }]);
      expect((await readGraph(a?.id)).nodes[0]?.data['executeWorkflowId']).toBe(b?.id);
      expect(made.warnings).toMatchObject([
        { field: 'workflows.json', message: expect.stringContaining('other pages') },
        { field: 'workflows.json (2)', message: expect.stringContaining('has no nodes') },
      ]);
    });

    test('an id that two workflows have leads to neither of them', async () => {
      const calls = node('call', { executeWorkflowId: 'x' }, 'execute');
      const list = [plain('A', { nodes: [calls] }), plain('B', { id: 'x' }), plain('C', { id: 'x' })];
      const made = (await upload(asList(list))).json<FolderImport>();
      expect(made.missing_workflows).toMatchObject([{ node_id: 'call', id: 'x' }]);
    });

    test('an own workflow does not take the place of one of the same name in n8n', async () => {
      await workflow('Sub', await folder('mine'));
      const made = (await upload(asList([caller]))).json<FolderImport>();
      expect(made.missing_workflows).toMatchObject([{ id: 'Cd34' }, { id: 'Ef56' }]);
    });

    test('413 for more workflows than an archive may have files, in one list or several', async () => {
      const half = JSON.stringify(Array.from({ length: 3_000 }, () => ({ nodes: [] })));
      const answer = await upload(await buildZip({ 'a.json': half, 'b.json': half }));
      expect(answer.statusCode, answer.body).toBe(413);
      expect(answer.json<{ detail: string }>().detail).toContain('more than 5000 workflows');
    });

    test('400 with the reason for a list of something else', async () => {
      const answer = await upload(asList([{ id: 'n', type: 'inject', wires: [[]] }]));
      expect(answer.statusCode, answer.body).toBe(400);
      expect(answer.json<{ detail: string }>().detail).toContain('Node-RED');
    });
  });

  test('keeps workflow settings, and lists what was left out and what validation found', async () => {
    const node = (label: string, type: string, data: object) => ({
      id: label,
      type,
      position: { x: 0, y: 0 },
      data: { label, ...data },
    });
    const file = {
      nodes: [node('start', 'textInput', {}), node('call', 'execute', { executeWorkflowId: '' })],
      edges: [{ id: 'e', source: 'start', target: 'call' }],
      rate_limit_requests: 7,
      rate_limit_window_seconds: 60,
      cache_ttl_seconds: 'often',
    };
    const answer = await upload(await buildZip({ 'kept.json': JSON.stringify(file) }));
    expect(answer.statusCode, answer.body).toBe(201);
    const { workflows, warnings } = answer.json<{ workflows: { id: string }[]; warnings: object[] }>();
    const made = await me.call('GET', `/api/workflows/${workflows[0]?.id}`);
    expect(made.json()).toMatchObject({ rate_limit_requests: 7, rate_limit_window_seconds: 60 });
    const message = expect.stringContaining('Choose the workflow');
    const kept = await me.call('GET', `/api/workflows/${workflows[0]?.id}/import-report`);
    expect(kept.json<{ report: { lines: object[] } }>().report.lines).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ node_id: null, field: 'cache_ttl_seconds' }),
        expect.objectContaining({ node_id: 'call', field: 'nodes.1.executeWorkflowId', message }),
      ]),
    );
    expect(warnings).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ field: 'kept.json: cache_ttl_seconds' }),
        expect.objectContaining({ field: 'kept.json: nodes.1.executeWorkflowId', message }),
      ]),
    );
  });

  test('201: an export comes back as it was', async () => {
    const top = await folder('Top');
    const inner = await folder('Inner', top);
    await workflow('one', top, [node('n1', { mappings: [] })]);
    await workflow('two', inner);
    const { rawPayload } = await me.call('GET', `/folders/${top}/export`);
    const answer = await upload(rawPayload, other);
    expect(answer.statusCode, answer.body).toBe(201);
    expect(answer.json()).toMatchObject({ missing_credentials: [], missing_workflows: [] });
    expect(await tree(other)).toEqual([['Top', [['Inner', [], ['two']]], ['one']]]);
  });

  test('references within the archive lead to the new workflows, foreign ones are left out and listed', async () => {
    const target = await workflow('target');
    const credential = await me.call('POST', '/api/credentials', {
      name: 'c',
      type: 'openai',
      config: { api_key: 'sk-12345678' },
    });
    const credential_id = credential.json<{ id: string }>().id;
    const files = {
      'A/target.json': JSON.stringify({ id: target, name: 'target', nodes: [], edges: [] }),
      'A/caller.json': JSON.stringify({
        name: 'caller',
        nodes: [
          node('inside', { executeWorkflowId: target }, 'execute'),
          node('outside', { executeWorkflowId: NOWHERE, targetWorkflowName: 'gone' }, 'execute'),
          node('model', { credentialId: credential_id, model: 'm' }, 'llm'),
        ],
      }),
    };
    const answer = await upload(await buildZip(files), other);
    expect(answer.statusCode, answer.body).toBe(201);
    const result = answer.json<{ workflows: { id: string; name: string }[] }>();
    expect(result).toMatchObject({
      missing_credentials: [
        { file: 'A/caller.json', node_id: 'model', field: 'credentialId', id: credential_id },
      ],
      missing_workflows: [{ node_id: 'outside', field: 'executeWorkflowId', id: NOWHERE }],
    });
    const findWorkflowId = (name: string) => result.workflows.find((item) => item.name === name)?.id;
    const caller = (await other.call('GET', `/api/workflows/${findWorkflowId('caller')}`)).json<{
      nodes: { data: Record<string, unknown> }[];
    }>();
    expect(caller.nodes.map((item) => item.data['executeWorkflowId'])).toEqual([
      findWorkflowId('target'),
      '',
      undefined,
    ]);
    expect(caller.nodes[2]?.data).toMatchObject({ credentialId: '', model: '' });
    const uses = await other.call('GET', `/api/workflows/${findWorkflowId('target')}/used-by`);
    expect(uses.json()).toMatchObject([{ workflow_id: findWorkflowId('caller'), node_id: 'inside' }]);
  });

  test('into a folder of the caller, also as a form', async () => {
    const parent = await folder('parent');
    const zip = await buildZip({ 'x.json': JSON.stringify({ nodes: [] }) });
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(zip)]), 'a.zip');
    const request = new Request('http://x', { method: 'POST', body: form });
    const answer = await me.call(
      'POST',
      `/folders/import?parent_id=${parent}`,
      Buffer.from(await request.arrayBuffer()),
      { 'content-type': request.headers.get('content-type') ?? '' },
    );
    expect(answer.statusCode, answer.body).toBe(201);
    expect(await tree()).toEqual([['parent', [], ['x']]]);
    const foreign = await folder('theirs', undefined, other);
    expect((await upload(zip, me, `?parent_id=${foreign}`)).statusCode).toBe(404);
  });

  test('files that are no workflows are left out with a warning each', async () => {
    const zip = await buildZip({
      'A/good.json': JSON.stringify({ nodes: [] }),
      'A/readme.txt': 'hello',
      'A/list.json': '[1]',
    });
    const answer = await upload(zip);
    expect(answer.statusCode, answer.body).toBe(201);
    const { workflows, warnings } = answer.json<{ workflows: unknown[]; warnings: { field: string }[] }>();
    expect(workflows).toHaveLength(1);
    expect(warnings.map(({ field }) => field).sort()).toEqual(['A/list.json', 'A/readme.txt']);
  });

  test('a target is found by its name: in the archive first, then among the workflows of the caller', async () => {
    const mine = await workflow('Mine');
    await workflow('Both');
    const calls = (id: string, targetWorkflowName: string) => ({
      id,
      type: 'execute',
      data: { label: id, executeWorkflowId: NOWHERE, targetWorkflowName },
    });
    const zip = await buildZip({
      'main.json': JSON.stringify({ nodes: [calls('a', 'Mine'), calls('b', 'Both'), calls('c', 'None')] }),
      'both.json': JSON.stringify({ name: 'Both', nodes: [] }),
    });
    const answer = await upload(zip);
    expect(answer.statusCode, answer.body).toBe(201);
    const made = answer.json<{
      workflows: { id: string; file: string }[];
      missing_workflows: { node_label: string }[];
    }>();
    const findWorkflowId = (file: string) => made.workflows.find((item) => item.file === file)?.id;
    const main = await me.call('GET', `/api/workflows/${findWorkflowId('main.json')}`);
    const { nodes } = main.json<{ nodes: { data: { executeWorkflowId: string } }[] }>();
    expect(nodes.map(({ data }) => data.executeWorkflowId)).toEqual([mine, findWorkflowId('both.json'), '']);
    expect(made.missing_workflows.map(({ node_label }) => node_label)).toEqual(['c']);
  });

  test('sub-workflows of an agent are found by the names that it keeps', async () => {
    const mine = await workflow('Mine');
    const [inside, outside, gone] = [newId(), newId(), newId()];
    const agent = node(
      'agent',
      {
        subWorkflowIds: [inside, outside, gone],
        subWorkflowNames: { [inside]: 'Helper', [outside]: 'Mine', [gone]: 'Gone' },
      },
      'agent',
    );
    const zip = await buildZip({
      'main.json': JSON.stringify({ name: 'Main', nodes: [agent] }),
      'helper.json': JSON.stringify({ name: 'Helper', nodes: [] }),
    });
    const answer = await upload(zip);
    expect(answer.statusCode, answer.body).toBe(201);
    const made = answer.json<{
      workflows: { id: string; name: string }[];
      missing_workflows: { field: string; id: string }[];
    }>();
    const findWorkflowId = (name: string) => made.workflows.find((item) => item.name === name)?.id ?? '';
    const main = await me.call('GET', `/api/workflows/${findWorkflowId('Main')}`);
    expect(main.json<{ nodes: { data: object }[] }>().nodes[0]?.data).toMatchObject({
      subWorkflowIds: [findWorkflowId('Helper'), mine],
      subWorkflowNames: { [findWorkflowId('Helper')]: 'Helper', [mine]: 'Mine' },
    });
    expect(made.missing_workflows).toMatchObject([{ field: 'subWorkflowIds', id: gone }]);
  });

  test('all or nothing: one wrong file and nothing is created', async () => {
    const zip = await buildZip({
      'A/good.json': JSON.stringify({ nodes: [] }),
      'A/bad.json': '{"nodes": 1}',
    });
    const answer = await upload(zip);
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toContain('A/bad.json');
    expect(await tree()).toEqual([]);
    expect((await me.call('GET', '/api/workflows')).json()).toEqual([]);
  });

  test.each([
    ['no archive', () => Promise.resolve(Buffer.from('hello'))],
    ['a link', () => buildZip({ 'a.json': '/etc/passwd' }, 0o120777)],
    ['a file that is no workflow', () => buildZip({ 'run.sh': 'rm -rf .' })],
    ['a bomb', () => buildZip({ 'a.json': Buffer.alloc(2 * 1024 * 1024, 0x20) })],
    ['nothing at all', () => buildZip({})],
  ])('400: %s', async (_, make) => {
    const answer = await upload(await make());
    expect(answer.statusCode, answer.body).toBe(400);
    expect(await tree()).toEqual([]);
  });

  // The writer refuses such names, so they are patched into the bytes, at the same length.
  test.each([
    '/tc/pass.json',
    '../../aa.json',
    'C:/abcde.json',
    '..\\..\\aa.json',
    'a\0bcdefg.json',
    'aa//bbbb.json',
  ])('400: the entry name %j', async (name) => {
    const plain = 'abcdefgh.json'.padStart(name.length, 'x').slice(-name.length);
    const zip = await buildZip({ [plain]: JSON.stringify({ nodes: [] }) });
    const patched = Buffer.from(zip.toString('latin1').replaceAll(plain, name), 'latin1');
    expect((await upload(patched)).statusCode).toBe(400);
    expect((await me.call('GET', '/api/workflows')).json()).toEqual([]);
  });

  test('401 before the body is read, 415 for other content', async () => {
    expect(
      (await app.call('POST', '/folders/import', Buffer.alloc(10), { 'content-type': 'application/zip' }))
        .statusCode,
    ).toBe(401);
    expect((await me.call('POST', '/folders/import', { a: 1 })).statusCode).toBe(415);
  });
});
