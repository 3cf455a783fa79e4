import type { SkillSummary } from '@millrace/contracts';
import { downloadSkill } from '../../data/skills.ts';
import { showFailure } from '../../ui/overlays/toast.ts';

/** Saves the ZIP of a skill on the person's machine, or says why it cannot. */
export const saveSkill = (skill: SkillSummary) => void downloadSkill(skill).catch(showFailure);
