import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { SkillImport } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { shareTestApp } from '../../testing/index.ts';
import { readArchive } from '../folders/archive.ts';

const PATH = '/api/skills';
const app = await shareTestApp();

const buildZip = (files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> => {
  const zip = new ZipFile();
  for (const [path, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), path);
  zip.end();
  return buffer(zip.outputStream);
};

const buildSkillText = (name: string) => `---\nname: ${name}\ndescription: About ${name}\n---\n# ${name}`;

async function sent(
  files: Readonly<Record<string, string | Buffer>>,
  { query = '', user }: { query?: string; user?: Awaited<ReturnType<typeof app.user>> } = {},
) {
  const person = user ?? (await app.user('Importer'));
  const headers = { 'content-type': 'application/zip' };
  const answer = await person.call('POST', `${PATH}/import${query}`, await buildZip(files), headers);
  return { person, status: answer.statusCode, body: answer.body, json: () => answer.json<SkillImport>() };
}

test('every folder with a SKILL.md becomes a skill, with the files below it', async () => {
  const { person, status, json } = await sent({
    'README.md': 'about',
    'prices/SKILL.md': buildSkillText('prices'),
    'prices/scripts/main.py': 'print(1)',
    'prices/logo.png': Buffer.from([0, 255]),
    'costs/skill.md': '# no front matter',
  });
  expect(status).toBe(201);
  expect(json()).toMatchObject({
    skills: [
      { name: 'prices', description: 'About prices', file_count: 2, version: 1 },
      { name: 'costs', description: '', file_count: 0 },
    ],
    skipped: ['README.md'],
  });
  const read = await person.call('GET', `${PATH}/${json().skills[0]?.id}`);
  expect(read.json()).toMatchObject({
    content: buildSkillText('prices'),
    files: [
      { path: 'scripts/main.py', content: 'print(1)', encoding: 'text' },
      { path: 'logo.png', content: 'AP8=', encoding: 'base64' },
    ],
  });
});

test('a ZIP whose SKILL.md is at the top is one skill', async () => {
  const { json } = await sent({ 'SKILL.md': buildSkillText('prices'), 'main.py': 'print(1)' });
  expect(json()).toMatchObject({ skills: [{ name: 'prices', file_count: 1 }], skipped: [] });
});

test.each([
  ['no skill', { 'a.txt': 'x' }, 400, 'no SKILL.md'],
  ['no name', { 'SKILL.md': '# Prices' }, 400, 'SKILL.md\\" has no \\"name'],
  ['a skill in a skill', { 'a/SKILL.md': '', 'a/b/SKILL.md': '' }, 400, 'a/b/SKILL.md'],
  [
    'two of a name',
    { 'a/SKILL.md': buildSkillText('x'), 'b/SKILL.md': buildSkillText('x') },
    400,
    'b/SKILL.md',
  ],
  ['a SKILL.md that is no text', { 'a/SKILL.md': Buffer.from([255, 254, 0]) }, 400, 'a/SKILL.md'],
  ['a large file', { 'a/SKILL.md': '', 'a/x.txt': randomBytes(2_000_001) }, 413, 'a/x.txt'],
  ['a file twice, in another case', { 'a/SKILL.md': '', 'a/x.py': '1', 'a/X.py': '2' }, 400, 'a/X.py'],
  ['a second SKILL.md', { 'a/SKILL.md': '', 'a/ SKILL.md': 'x' }, 400, 'a/ SKILL.md'],
  ['a long SKILL.md', { 'a/SKILL.md': 'x '.repeat(150_000) }, 413, 'a/SKILL.md'],
])('%s is refused with its name, and nothing is made', async (_what, files, expected, words) => {
  const { person, status, body } = await sent(files);
  expect([status, body]).toEqual([expected, expect.stringContaining(words)]);
  expect((await person.call('GET', PATH)).json()).toMatchObject({ total: 0 });
});

test('what is no ZIP and what is no upload is refused', async () => {
  const person = await app.user('Importer');
  const zip = { 'content-type': 'application/zip' };
  expect((await person.call('POST', `${PATH}/import`, Buffer.from('x'), zip)).statusCode).toBe(400);
  expect((await person.call('POST', `${PATH}/import`, {})).statusCode).toBe(415);
});

test('skills of a name that is taken are refused, or get a version', async () => {
  const { person: user } = await sent({ 'SKILL.md': buildSkillText('prices') });
  const files = { 'p/SKILL.md': `${buildSkillText('prices')}!`, 'c/SKILL.md': buildSkillText('costs') };
  const refused = await sent(files, { user });
  expect([refused.status, refused.body]).toEqual([409, expect.stringContaining('prices')]);
  const replaced = await sent(files, { user, query: '?replace=true' });
  expect(replaced.json()).toMatchObject({
    skills: [
      { name: 'prices', version: 2 },
      { name: 'costs', version: 1 },
    ],
  });
});

test('a skill that is replaced keeps its timeout, and gets no version when nothing differs', async () => {
  const files = { 'p/SKILL.md': buildSkillText('prices'), 'p/ main.py': 'print(1)' };
  const { person: user, json } = await sent(files);
  const address = `${PATH}/${json().skills[0]?.id}`;
  await user.call('PATCH', address, { timeout_seconds: 300 });
  await sent({ ...files, 'p/SKILL.md': `${buildSkillText('prices')}!` }, { user, query: '?replace=true' });
  const again = await sent(
    { ...files, 'p/SKILL.md': `${buildSkillText('prices')}!` },
    { user, query: '?replace=true' },
  );
  expect(again.json()).toMatchObject({ skills: [{ name: 'prices', version: 3 }] });
  expect((await user.call('GET', address)).json()).toMatchObject({
    timeout_seconds: 300,
    files: [{ path: 'main.py' }],
  });
});

test('two simultaneous imports of the same skills both succeed, in any order', async () => {
  const { person: user } = await sent({
    'a/SKILL.md': buildSkillText('a'),
    'b/SKILL.md': buildSkillText('b'),
  });
  const rounds = Array.from({ length: 10 }, (_, round) => round);
  const answers = await Promise.all(
    rounds.map((round) => {
      const names = round % 2 === 0 ? ['a', 'b'] : ['b', 'a'];
      const files = names.map((name) => [`${name}/SKILL.md`, `${buildSkillText(name)} ${round}`]);
      return sent(Object.fromEntries(files), { user, query: '?replace=true' });
    }),
  );
  expect(answers.map(({ status }) => status)).toEqual(rounds.map(() => 201));
});

test('an export holds SKILL.md and all files, and can be imported', async () => {
  const person = await app.user('Exporter');
  const files = [
    { path: 'data/a.txt', content: 'Grüße' },
    { path: 'logo.png', content: 'AP8=', encoding: 'base64' },
  ];
  const made = await person.call('POST', PATH, { name: 'a/b', content: '# Text', files });
  const { id } = made.json<{ id: string }>();
  const exported = await person.call('GET', `${PATH}/${id}/export`);
  expect(exported.headers['content-disposition']).toContain('a_b.zip');
  const archive = await readArchive(exported.rawPayload);
  expect(archive.files.map(({ path, bytes }) => [path, bytes.toString('hex')])).toEqual([
    ['a_b/SKILL.md', Buffer.from('# Text').toString('hex')],
    ['a_b/data/a.txt', Buffer.from('Grüße').toString('hex')],
    ['a_b/logo.png', '00ff'],
  ]);
  const headers = { 'content-type': 'application/zip' };
  const again = await person.call('POST', `${PATH}/import`, exported.rawPayload, headers);
  expect(again.json()).toMatchObject({ skills: [{ name: 'a_b', file_count: 2 }] });
});
