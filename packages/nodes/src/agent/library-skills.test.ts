import { expect, test } from 'vitest';
import type { LibrarySkill } from '../services.ts';
import { says, work } from '../testing/run-agent.ts';

const ID = '4b0b8f0e-6a3e-4c6e-9a5d-1f2e3d4c5b6a';
const skillOf = (version: number): LibrarySkill => ({
  name: 'prices',
  version,
  content: `# Text ${version}`,
  files: [],
  timeout_seconds: 30,
});

test('a step records which version the agent uses', async () => {
  const librarySkill = (_id: string, version: number | null) => Promise.resolve(skillOf(version ?? 3));
  const { bodies, output, run } = await work(
    { skills: [{ librarySkillId: ID }, { librarySkillId: ID, libraryVersion: 2 }, { content: '# Own' }] },
    [says('done')],
    { services: { librarySkill } },
  );
  expect(bodies[0]?.messages[0]?.['content']).toBe('# Text 3\n\n---\n\n# Text 2\n\n---\n\n# Own');
  expect(output['skills_used']).toEqual(['prices', 'prices', '']);
  expect(JSON.stringify(run.trace.steps)).toContain('skills');
});
