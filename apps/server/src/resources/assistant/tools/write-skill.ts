import { SKILL_LIMITS } from '@millrace/contracts';
import { SKILL_FILE } from '@millrace/nodes/skill-path';
import { z } from 'zod';
import { defineTool } from './tool.ts';

const PATH = /^[\w][\w .-]*(?:\/[\w][\w .-]*)*$/;

const input = z.object({
  files: z
    .array(
      z.object({
        path: z
          .string()
          .max(SKILL_LIMITS.path_characters)
          .regex(PATH, 'must be a relative path without ..')
          .describe(`${SKILL_FILE}, or a script or text file beside it`),
        content: z.string().max(SKILL_LIMITS.file_characters),
      }),
    )
    .min(1)
    .max(SKILL_LIMITS.files),
});

type File = z.output<typeof input>['files'][number];

/** The problem that keeps a skill from being used by an agent. */
function findProblem(files: readonly File[]): string | undefined {
  if (!files.some(({ path, content }) => path === SKILL_FILE && content.trim() !== ''))
    return `There is no ${SKILL_FILE} with text`;
  if (new Set(files.map(({ path }) => path)).size < files.length) return 'Two files have the same path';
  return undefined;
}

/** Shows the person a skill; they put it into the agent themselves. */
export const writeSkillTool = defineTool({
  name: 'write_skill',
  label: 'Writes the skill',
  description: `Shows the user the files of the skill: all of them, also those that stay as they are. ${SKILL_FILE} is what the agent reads.`,
  input,
  use(world, { files }) {
    const problem = findProblem(files);
    if (problem !== undefined) return Promise.resolve({ shown: false, problem });
    const ordered = files.toSorted(
      (one, other) => Number(other.path === SKILL_FILE) - Number(one.path === SKILL_FILE),
    );
    world.emit({ type: 'skill_files_update', files: ordered });
    return Promise.resolve({ shown: true });
  },
});
