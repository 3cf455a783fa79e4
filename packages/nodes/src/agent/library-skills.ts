import type { JsonObject } from '@millrace/engine';
import { refusedParam } from '../kit/refused-param.ts';
import type { LibrarySkill } from '../services.ts';
import type { AgentCall } from './tools/tool.ts';

export type Skill = AgentCall['params']['skills'][number];

const isOfLibrary = ({ librarySkillId }: Skill): boolean => librarySkillId !== '';

/**
 * The skills of the agent, those of the library with what their version holds. Which version that is gets recorded, so that
 * an agent that resumes after a crash or a wait keeps using the same one; its content is read again, so that
 * a share that has ended holds at once.
 */
export async function resolveSkills(call: AgentCall): Promise<readonly Skill[]> {
  const { skills } = call.params;
  if (!skills.some(isOfLibrary)) return skills;
  const known = new Map<number, LibrarySkill>();
  const versions = await call.step<JsonObject>('skills', 'read', async () => {
    for (const [at, skill] of skills.entries()) {
      if (isOfLibrary(skill)) known.set(at, await readSkill(call, at, skill.libraryVersion ?? null));
    }
    return Object.fromEntries([...known].map(([at, { version }]) => [String(at), version]));
  });
  return Promise.all(
    skills.map(async (skill, at) => {
      if (!isOfLibrary(skill)) return skill;
      const read = known.get(at) ?? (await readSkill(call, at, Number(versions[String(at)])));
      // The agent keeps its own name for the skill, which its rules for reviews use.
      const name = skill.name.trim() === '' ? read.name : skill.name;
      const { content, timeout_seconds: timeoutSeconds } = read;
      return { ...skill, name, content, files: [...read.files], timeoutSeconds };
    }),
  );
}

async function readSkill(
  { params, services }: AgentCall,
  at: number,
  version: number | null,
): Promise<LibrarySkill> {
  const { name = '', librarySkillId = '' } = params.skills[at] ?? {};
  const found = await services.librarySkill(librarySkillId, version);
  if (typeof found === 'object') return found;
  const title = name.trim() === '' ? librarySkillId : name;
  const words =
    found === 'no_skill'
      ? `names "${title}", which is no longer in the library or not shared with the owner of the workflow`
      : `names version ${version} of "${title}", which is not kept any more; choose another one`;
  throw refusedParam(`skills.${at}.librarySkillId`, words);
}
