import { refuse } from '@millrace/models/testing';
import { expect, test } from 'vitest';
import type { LibrarySkill } from '../services.ts';
import { says, work } from '../testing/run-agent.ts';

const ID = '4b0b8f0e-6a3e-4c6e-9a5d-1f2e3d4c5b6a';
const createSkill = (version: number): LibrarySkill => ({
  name: 'prices',
  version,
  content: `# Text ${version}`,
  files: [],
  timeout_seconds: 30,
});

test('an agent uses the newest version, or the one that it names, beside skills of its own', async () => {
  const librarySkill = (_id: string, version: number | null) => Promise.resolve(createSkill(version ?? 3));
  const { bodies, output } = await work(
    { skills: [{ librarySkillId: ID }, { librarySkillId: ID, libraryVersion: 2 }, { content: '# Own' }] },
    [says('done')],
    { services: { librarySkill } },
  );
  expect(bodies[0]?.messages[0]?.['content']).toBe('# Text 3\n\n---\n\n# Text 2\n\n---\n\n# Own');
  expect(output['skills_used']).toEqual(['prices', 'prices', '']);
});

test('an agent that is called again keeps the version that it began with', async () => {
  let newest = 3;
  const librarySkill = (_id: string, version: number | null) =>
    Promise.resolve(createSkill(version ?? newest++));
  const retried = { retryEnabled: true, retryMaxAttempts: 2, retryWaitSeconds: 1 };
  const { bodies, output } = await work(
    { skills: [{ librarySkillId: ID }], ...retried },
    // The call of the model is tried four times before the node is.
    (_call, count) => (count < 4 ? refuse(500, { error: { message: 'not now' } }) : says('done')),
    { services: { librarySkill } },
  );
  expect(bodies.map(({ messages }) => messages[0]?.['content'])).toEqual(Array(5).fill('# Text 3'));
  expect(output['text']).toBe('done');
});
