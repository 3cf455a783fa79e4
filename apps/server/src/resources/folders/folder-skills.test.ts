import type { FolderImport, Skill, SkillUse } from '@millrace/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../core/ids.ts';
import { shareTestApp, type TestApp, type TestUser } from '../../testing/index.ts';
import { readArchive } from './archive.ts';

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

type Row = Record<string, unknown>;

const FILES = [
  { path: 'main.py', content: 'print("Grüße")', encoding: 'text' },
  { path: 'data/logo.png', content: 'AP8=', encoding: 'base64' },
];

async function skill(name: string, content: string, user = me): Promise<Skill> {
  const answer = await user.call('POST', '/api/skills', { name, content, files: FILES, timeout_seconds: 90 });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<Skill>();
}

const shareSkill = async ({ id }: Skill, user: TestUser) => {
  const answer = await me.call('POST', `/api/skills/${id}/shares`, { email: user.email });
  expect(answer.statusCode, answer.body).toBeLessThan(300);
};

async function folder(user = me): Promise<string> {
  return (await user.call('POST', '/folders', { name: 'Agents' })).json<{ id: string }>().id;
}

async function agentIn(folder_id: string, skills: Row[], { name = 'Quotes', owner = me } = {}) {
  const agent = { id: 'lead', type: 'agent', position: { x: 0, y: 0 }, data: { label: 'lead', skills } };
  const made = await owner.call('POST', '/api/workflows', { name, nodes: [agent], edges: [] });
  const { id } = made.json<{ id: string }>();
  await owner.call('PUT', `/folders/${folder_id}/workflows/${id}`);
  return id;
}

const exported = async (folder_id: string, user = me): Promise<Buffer> => {
  const answer = await user.call('GET', `/folders/${folder_id}/export`);
  expect(answer.statusCode).toBe(200);
  return answer.rawPayload;
};

interface File {
  readonly nodes: readonly { readonly data: { readonly skills: Row[] } }[];
}

/** The skills of the only node of each workflow, by path. */
async function skillsIn(archive: Buffer): Promise<Record<string, Row[]>> {
  const { files } = await readArchive(archive);
  const read = files.map(({ path, bytes }): [string, Row[]] => {
    const { nodes } = JSON.parse(bytes.toString()) as File;
    return [path, nodes[0]?.data.skills ?? []];
  });
  return Object.fromEntries(read);
}

async function imported(archive: Buffer, user: TestUser) {
  const type = { 'content-type': 'application/zip' };
  const answer = await user.call('POST', '/folders/import', archive, type);
  expect(answer.statusCode, answer.body).toBe(201);
  const { workflows, warnings } = answer.json<FolderImport>();
  const id = workflows[0]?.id ?? '';
  const { nodes } = (await user.call('GET', `/api/workflows/${id}`)).json<File>();
  return { id, skills: nodes[0]?.data.skills, warnings, body: answer.body };
}

const createCopy = (name: string, content: string): Row => ({
  name,
  content,
  files: FILES,
  timeoutSeconds: 90,
});

describe('an archive of a folder whose agents use skills of the library', () => {
  test('carries a copy of each, of the version that the agent names', async () => {
    const { id, name } = await skill('prices', '# First');
    await me.call('PATCH', `/api/skills/${id}`, { content: '# Second' });
    const inline = { name: 'own', content: '# Own' };
    const top = await folder();
    const named = { name: 'of the agent', librarySkillId: id };
    await agentIn(top, [named, { librarySkillId: id, libraryVersion: 1 }, inline]);
    expect(await skillsIn(await exported(top))).toEqual({
      'Agents/Quotes.json': [
        { ...createCopy('of the agent', '# Second'), librarySkillId: id },
        { ...createCopy(name, '# First'), librarySkillId: id, libraryVersion: 1 },
        inline,
      ],
    });
  });

  test('gives the copies to a person who does not see the skills, and says so', async () => {
    const { id, name } = await skill('prices', '# Text');
    const top = await folder();
    await agentIn(top, [{ name, librarySkillId: id, libraryVersion: 1 }]);
    const made = await imported(await exported(top), other);
    expect(made.skills).toEqual([createCopy(name, '# Text')]);
    const message = expect.stringContaining(`"${name}" is in a library that you cannot see; its copy`);
    expect(made.warnings).toContainEqual({
      field: 'Agents/Quotes.json: nodes.0.data.skills.0',
      message,
    });
    const { report } = (await other.call('GET', `/api/workflows/${made.id}/import-report`)).json<{
      report: { lines: Row[] };
    }>();
    expect(report.lines).toContainEqual(expect.objectContaining({ node_id: 'lead', message }));
    expect((await me.call('GET', `/api/skills/${id}/used-by`)).json<SkillUse[]>()).toHaveLength(1);
  });

  test('gives the skills of the library to those who see them, at the version that the agent names', async () => {
    const made = await skill('prices', '# First');
    await me.call('PATCH', `/api/skills/${made.id}`, { content: '# Second' });
    await shareSkill(made, other);
    const rows = [
      { name: 'a', librarySkillId: made.id },
      { name: 'b', librarySkillId: made.id, libraryVersion: 1 },
    ];
    const top = await folder();
    await agentIn(top, rows);
    const archive = await exported(top);
    for (const user of [me, other]) {
      const { id, skills, warnings } = await imported(archive, user);
      expect(skills).toEqual(rows);
      expect(warnings.filter(({ field }) => field.includes('skills'))).toEqual([]);
      const uses = (await user.call('GET', `/api/skills/${made.id}/used-by`)).json<SkillUse[]>();
      const ours = uses.filter(({ workflow_id }) => workflow_id === id).map(({ version }) => version);
      expect(ours).toEqual([null, 1]);
    }
  });

  test('keeps a copy of what was shared, when the share ends and the archive comes back', async () => {
    const made = await skill('prices', '# Text');
    await shareSkill(made, other);
    const top = await folder(other);
    await agentIn(top, [{ name: 'prices', librarySkillId: made.id }], { owner: other });
    const archive = await exported(top, other);
    await me.call('DELETE', `/api/skills/${made.id}/shares/${other.id}`);
    expect((await imported(archive, other)).skills).toEqual([createCopy('prices', '# Text')]);
    expect(await skillsIn(await exported(top, other))).toEqual({
      'Agents/Quotes.json': [{ name: 'prices', librarySkillId: made.id }],
    });
  });

  test('has nothing of a skill that the person who exports does not see', async () => {
    const { id } = await skill('prices', '# Secret text');
    const mine = await folder();
    const workflow = await agentIn(mine, [{ name: 'prices', librarySkillId: id }]);
    await me.call('POST', `/api/workflows/${workflow}/shares`, { email: other.email });
    const theirs = await folder(other);
    await other.call('PUT', `/folders/${theirs}/workflows/${workflow}`);
    const archive = await exported(theirs, other);
    expect(await skillsIn(archive)).toEqual({
      'Agents/Quotes.json': [{ name: 'prices', librarySkillId: id }],
    });
    const without = await imported(archive, other);
    expect(without.skills).toEqual([{ name: 'prices', librarySkillId: id }]);
    expect(without.body).toContain('choose another one');
    // The owner of the skill has it again where the archive comes back.
    expect((await imported(archive, me)).skills).toEqual([{ name: 'prices', librarySkillId: id }]);
  });

  test('does not tell a skill of others from one that does not exist', async () => {
    const { id } = await skill('prices', '# Secret text');
    const lines = [];
    for (const librarySkillId of [id, newId()]) {
      const top = await folder(other);
      await agentIn(top, [{ name: 'x', librarySkillId }], { owner: other });
      const { warnings, skills } = await imported(await exported(top, other), other);
      expect(JSON.stringify(skills)).not.toContain('Secret');
      lines.push(warnings);
    }
    expect(lines[0]).toEqual(lines[1]);
  });

  test('gives the copy, too, where the id is none of this product', async () => {
    const top = await folder();
    const copy = createCopy('prices', '# Text');
    await agentIn(top, [{ ...copy, librarySkillId: 'prices-7', libraryVersion: 2 }]);
    expect((await imported(await exported(top), other)).skills).toEqual([copy]);
  });

  test('gives the copy, too, where the library has the skill but not the version any more', async () => {
    const { id } = await skill('prices', '# Newest');
    const top = await folder();
    const copy = createCopy('prices', '# Old');
    await agentIn(top, [{ ...copy, librarySkillId: id, libraryVersion: 7 }]);
    const made = await imported(await exported(top), me);
    expect(made.skills).toEqual([copy]);
    expect(made.body).toContain('Version 7 of the skill');
  });
});
