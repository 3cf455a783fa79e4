import { LIBRARY_LIMITS, type Skill, type SkillSummary } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { shareTestApp } from '../../testing/index.ts';

const PATH = '/api/skills';
const CONTENT = '---\nname: prices\ndescription: Looks up prices\n---\n# Prices';

const app = await shareTestApp();
const owner = await app.user('Owner');
const colleague = await app.user('Colleague');
const stranger = await app.user('Stranger');

let names = 0;
const newName = () => `skill ${++names}`;

async function created(more: object = {}): Promise<Skill> {
  const answer = await owner.call('POST', PATH, { name: newName(), content: CONTENT, ...more });
  expect(answer.statusCode).toBe(201);
  return answer.json<Skill>();
}

const listed = async (user = owner, query = ''): Promise<SkillSummary[]> =>
  (await user.call('GET', `${PATH}?limit=500${query}`)).json<{ items: SkillSummary[] }>().items;

test('a skill is created with its files and read again; its description is that of SKILL.md', async () => {
  const files = [
    { path: './main.py', content: 'print(1)' },
    { path: 'data/logo.png', content: 'AP8=', encoding: 'base64' },
  ];
  const { id, ...made } = await created({ files, timeout_seconds: 60 });
  expect(made).toMatchObject({
    description: 'Looks up prices',
    version: 1,
    file_count: 2,
    size_bytes: CONTENT.length + 8 + 2,
    timeout_seconds: 60,
    is_shared: false,
    files: [
      { path: 'main.py', content: 'print(1)', encoding: 'text' },
      { path: 'data/logo.png', content: 'AP8=', encoding: 'base64' },
    ],
  });
  expect((await owner.call('GET', `${PATH}/${id}`)).json()).toEqual({ id, ...made });
});

test('a list has a page by name, without texts, and how many there are in all', async () => {
  const person = await app.user('Lister');
  for (const name of ['b', 'a', 'c']) await person.call('POST', PATH, { name });
  const page = (await person.call('GET', `${PATH}?limit=2&offset=1`)).json<{
    items: SkillSummary[];
    total: number;
  }>();
  expect(page).toMatchObject({ total: 3, limit: 2, offset: 1 });
  expect(page.items.map(({ name }) => name)).toEqual(['b', 'c']);
  expect(page.items[0]).not.toHaveProperty('content');
});

test('a search finds texts of the name and the description, and takes % as it is', async () => {
  const { id, name } = await created({ content: '---\ndescription: Reads 100% of invoices\n---' });
  const found = async (text: string) =>
    (await listed(owner, `&search=${encodeURIComponent(text)}`)).map((skill) => skill.id);
  expect(await found('100% OF')).toEqual([id]);
  expect(await found(name.toUpperCase())).toContain(id);
  expect(await found('100_ of')).toEqual([]);
});

test.each([
  ['an empty name', { name: ' ' }, 'name'],
  ['a path that leaves the skill', { files: [{ path: '../x.py', content: '' }] }, 'path'],
  ['SKILL.md among the files', { files: [{ path: 'skill.md', content: '' }] }, 'path'],
  ['a SKILL.md in a folder', { files: [{ path: 'examples/SKILL.md', content: '' }] }, 'path'],
  [
    'a path twice',
    {
      files: [
        { path: 'a.txt', content: '' },
        { path: './A.txt', content: '' },
      ],
    },
    'path',
  ],
  ['what is not base64', { files: [{ path: 'a', content: '?', encoding: 'base64' }] }, 'content'],
  ['a timeout of a day', { timeout_seconds: 86_400 }, 'timeout_seconds'],
])('%s is refused with its place', async (_what, more, field) => {
  const answer = await owner.call('POST', PATH, { name: newName(), ...more });
  expect(answer.statusCode).toBe(422);
  expect(answer.json<{ detail: { loc: unknown[] }[] }>().detail[0]?.loc.at(-1)).toBe(field);
});

test('files that are too large are refused, by name where it is one', async () => {
  const large = { path: 'large.txt', content: 'x'.repeat(LIBRARY_LIMITS.file_bytes + 1) };
  const one = await owner.call('POST', PATH, { name: newName(), files: [large] });
  expect([one.statusCode, one.body]).toEqual([413, expect.stringContaining('large.txt')]);
  const binary = { path: 'large.png', content: 'A'.repeat(8_000_000), encoding: 'base64' };
  const encoded = await owner.call('POST', PATH, { name: newName(), files: [binary] });
  expect([encoded.statusCode, encoded.body]).toEqual([413, expect.stringContaining('large.png')]);
  const files = ['a', 'b', 'c'].map((path) => ({ path, content: 'x'.repeat(1_500_000) }));
  expect((await owner.call('POST', PATH, { name: newName(), files })).statusCode).toBe(413);
});

test('a name is there once for each owner', async () => {
  const { name } = await created();
  expect((await owner.call('POST', PATH, { name })).statusCode).toBe(409);
  expect((await stranger.call('POST', PATH, { name })).statusCode).toBe(201);
  const { id } = await created();
  expect((await owner.call('PATCH', `${PATH}/${id}`, { name })).statusCode).toBe(409);
});

test('a save makes a version, and one that changes nothing makes none', async () => {
  const { id, name } = await created({ files: [{ path: 'a.txt', content: '1' }] });
  const saved = await owner.call('PATCH', `${PATH}/${id}`, { content: '# New' });
  expect(saved.json()).toMatchObject({ version: 2, name, content: '# New', files: [{ path: 'a.txt' }] });
  const again = await owner.call('PATCH', `${PATH}/${id}`, { content: '# New', base_version: 2 });
  expect(again.json()).toMatchObject({ version: 2 });
  const stale = await owner.call('PATCH', `${PATH}/${id}`, { content: '# Late', base_version: 1 });
  expect(stale.statusCode).toBe(409);
});

test('versions are listed, read and restored', async () => {
  const { id } = await created({ files: [{ path: 'a.txt', content: '1' }] });
  const renamed = newName();
  await owner.call('PATCH', `${PATH}/${id}`, { name: renamed, content: '# New', files: [] });
  const versions = (await owner.call('GET', `${PATH}/${id}/versions`)).json<{ items: unknown[] }>();
  expect(versions).toMatchObject({
    total: 2,
    items: [
      { number: 2, name: renamed, is_current: true, file_count: 0, created_by_name: 'Owner' },
      { number: 1, is_current: false, file_count: 1 },
    ],
  });
  const first = await owner.call('GET', `${PATH}/${id}/versions/1`);
  expect(first.json()).toMatchObject({ number: 1, content: CONTENT, files: [{ content: '1' }] });
  expect((await owner.call('GET', `${PATH}/${id}/versions/3`)).statusCode).toBe(404);
  const restored = await owner.call('POST', `${PATH}/${id}/versions/1/restore`);
  expect(restored.json()).toMatchObject({ version: 3, name: renamed, content: CONTENT, file_count: 1 });
  expect((await owner.call('POST', `${PATH}/${id}/versions/9/restore`)).statusCode).toBe(404);
});

test('the oldest versions go when there are too many', async () => {
  const { id } = await created();
  for (let at = 0; at < LIBRARY_LIMITS.versions; at++)
    await owner.call('PATCH', `${PATH}/${id}`, { content: `# ${at}` });
  const { total } = (await owner.call('GET', `${PATH}/${id}/versions`)).json<{ total: number }>();
  expect(total).toBe(LIBRARY_LIMITS.versions);
  expect((await owner.call('GET', `${PATH}/${id}/versions/1`)).statusCode).toBe(404);
});

test('what was deleted is gone at once', async () => {
  const { id } = await created();
  expect((await owner.call('DELETE', `${PATH}/${id}`)).statusCode).toBe(204);
  expect((await owner.call('GET', `${PATH}/${id}`)).statusCode).toBe(404);
});

test('§2.5: a share lets people read and use a skill, not change it, until it ends', async () => {
  const { id } = await created();
  const address = `${PATH}/${id}`;
  expect((await colleague.call('GET', address)).statusCode).toBe(404);
  await owner.call('POST', `${address}/shares`, { email: colleague.email });
  expect((await colleague.call('GET', address)).json()).toMatchObject({
    is_shared: true,
    shared_by: owner.email,
  });
  expect((await listed(colleague)).map((skill) => skill.id)).toEqual([id]);
  expect((await colleague.call('PATCH', address, { name: 'x' })).statusCode).toBe(403);
  expect((await colleague.call('DELETE', address)).statusCode).toBe(403);
  expect((await colleague.call('POST', `${address}/versions/1/restore`)).statusCode).toBe(403);
  expect((await colleague.call('GET', `${address}/shares`)).statusCode).toBe(403);
  expect((await owner.call('GET', `${address}/shares`)).json()).toMatchObject([{ email: colleague.email }]);
  await owner.call('DELETE', `${address}/shares/${colleague.id}`);
  expect((await colleague.call('GET', address)).statusCode).toBe(404);
});

test('§4.6: a team reaches what is shared with it', async () => {
  const { id, name } = await created();
  const team = (await owner.call('POST', '/api/teams', { name: newName() })).json<{
    id: string;
    name: string;
  }>();
  await owner.call('POST', `/api/teams/${team.id}/members`, { email: colleague.email });
  await owner.call('POST', `${PATH}/${id}/team-shares`, { team_id: team.id });
  expect((await colleague.call('GET', `${PATH}/${id}`)).json()).toMatchObject({ shared_by_team: team.name });
  const shared = await colleague.call('GET', `/api/teams/${team.id}/shared-entities`);
  expect(shared.json()).toMatchObject({ skills: [{ id, name }] });
  await owner.call('DELETE', `${PATH}/${id}/team-shares/${team.id}`);
  expect((await colleague.call('GET', `${PATH}/${id}`)).statusCode).toBe(404);
});

const agentWith = (skills: object[]) => [
  { id: 'in', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'in' } },
  { id: 'lead', type: 'agent', position: { x: 1, y: 0 }, data: { label: 'lead', skills } },
];

async function workflowWith(skills: object[], user = owner): Promise<string> {
  const body = {
    name: newName(),
    nodes: agentWith(skills),
    edges: [{ id: 'e', source: 'in', target: 'lead' }],
  };
  return (await user.call('POST', '/api/workflows', body)).json<{ id: string }>().id;
}

test('a skill that agents use says where, and is only deleted by force', async () => {
  const { id, name } = await created();
  const address = `${PATH}/${id}`;
  await owner.call('POST', `${address}/shares`, { email: colleague.email });
  const row = { name, librarySkillId: id };
  const workflow_id = await workflowWith([row, { ...row, libraryVersion: 1 }]);
  const read = await owner.call('GET', `/api/workflows/${workflow_id}`);
  const workflow_name = read.json<{ name: string }>().name;
  const use = { workflow_id, workflow_name, node_id: 'lead' };
  await workflowWith([row], colleague);
  expect((await owner.call('GET', `${address}/used-by`)).json()).toEqual([
    { ...use, version: null },
    { ...use, version: 1 },
  ]);
  const refused = await owner.call('DELETE', address);
  expect(refused.statusCode).toBe(409);
  expect(refused.json()).toMatchObject({
    detail: {
      message: `Agents use the skill in "${workflow_name}", 1 workflow of another person`,
      workflows: [workflow_name],
      hidden_workflows: 1,
    },
  });
  expect((await owner.call('DELETE', `${address}?force=true`)).statusCode).toBe(204);
});

test('a version that an agent names is kept', async () => {
  const { id } = await created();
  await workflowWith([{ librarySkillId: id, libraryVersion: 1 }]);
  for (let at = 0; at <= LIBRARY_LIMITS.versions; at++)
    await owner.call('PATCH', `${PATH}/${id}`, { content: `# ${at}` });
  expect((await owner.call('GET', `${PATH}/${id}/versions/1`)).statusCode).toBe(200);
  expect((await owner.call('GET', `${PATH}/${id}/versions/2`)).statusCode).toBe(404);
});

test.each([0, -1, 1.5, 3_000_000_000])(
  'a workflow that names version %s is saved and exported',
  async (libraryVersion) => {
    const { id } = await created();
    const row = { name: 'prices', librarySkillId: id, libraryVersion };
    const workflow_id = await workflowWith([row]);
    expect((await owner.call('GET', `${PATH}/${id}/used-by`)).json()).toMatchObject([{ workflow_id }]);
    const file = await owner.call('GET', `/api/workflows/${workflow_id}/export`);
    expect(file.json()).toMatchObject({ nodes: [{}, { data: { skills: [{ librarySkillId: id }] } }] });
  },
);

test('an exported workflow carries copies, which are used where the skill cannot be seen', async () => {
  const { id, name } = await created({ files: [{ path: 'main.py', content: 'print(1)' }] });
  const inline = { name: 'own', content: '# Own' };
  const workflow_id = await workflowWith([{ name, librarySkillId: id }, inline]);
  const file = (await owner.call('GET', `/api/workflows/${workflow_id}/export`)).json<object>();
  const copy = {
    name,
    content: CONTENT,
    files: [{ path: 'main.py', content: 'print(1)', encoding: 'text' }],
    timeoutSeconds: 30,
  };
  const readSkills = (answer: { json(): unknown }) =>
    (answer.json() as { workflow: { nodes: { data: { skills?: unknown } }[] } }).workflow.nodes[1]?.data
      .skills;
  expect(file).toMatchObject({
    nodes: [{}, { data: { skills: [{ ...copy, librarySkillId: id }, inline] } }],
  });
  const again = await owner.call('POST', '/api/workflows/import', file);
  expect(readSkills(again)).toEqual([{ name, librarySkillId: id }, inline]);
  const elsewhere = await stranger.call('POST', '/api/workflows/import', file);
  expect(readSkills(elsewhere)).toEqual([copy, inline]);
  expect(elsewhere.json()).toMatchObject({
    warnings: expect.arrayContaining([
      { field: 'nodes.1.data.skills.0', message: expect.stringContaining(`"${name}"`) },
    ]),
  });
  const bare = { nodes: agentWith([{ name, librarySkillId: id }]), edges: [] };
  const lost = await stranger.call('POST', '/api/workflows/import', bare);
  expect(readSkills(lost)).toEqual([{ name, librarySkillId: id }]);
  expect(lost.body).toContain('choose another one');
});
