import type { SkillSummary } from '@millrace/contracts';
import { GraduationCap } from 'lucide-react';
import { useSkills, useSkillVersions } from '../../../data/skills.ts';
import { Badge } from '../../../ui/display/status-chip.tsx';
import { Picker } from '../../../ui/forms/picker.tsx';
import { readLibraryId, readLibraryVersion, withLibraryVersion } from './library-rows.ts';
import type { SkillRow } from './skill-rows.ts';
import { useSkillsTexts } from './texts/use-skills-texts.ts';

interface LibrarySkillProps {
  row: SkillRow;
  /** From 1. */
  number: number;
  onChange: (row: SkillRow) => void;
}

/** A skill of the library in the list of an agent: its name, and which version is used. */
export function LibrarySkill({ row, number, onChange }: LibrarySkillProps) {
  const t = useSkillsTexts();
  const { data: skills } = useSkills();
  const id = readLibraryId(row);
  const skill = skills?.find((one) => one.id === id);
  const { data: versions } = useSkillVersions(skill?.id ?? '');
  const fixed = readLibraryVersion(row);
  const numbers = new Set((versions?.items ?? []).map((version) => version.number));
  if (fixed !== null) numbers.add(fixed);
  return (
    <div className="flex flex-col gap-1.5 rounded-m border border-line p-2">
      <div className="flex min-w-0 flex-wrap items-center gap-2">
        <GraduationCap aria-hidden className="size-4 shrink-0 text-faint" />
        <span className="min-w-0 truncate font-medium">{row.name || skill?.name || id}</span>
        <Badge tone="info">{t('of_library')}</Badge>
      </div>
      {skills && !skill ? <p className="text-sm text-danger">{t('library_gone')}</p> : null}
      {skill?.description ? <p className="text-sm text-faint">{skill.description}</p> : null}
      <Picker
        aria-label={t('version_of', { row: number })}
        value={fixed === null ? '' : String(fixed)}
        none={t('newest_version')}
        choices={[...numbers].map((version) => ({
          value: String(version),
          label: t('fixed_version', { number: version }),
        }))}
        onChange={(value) => onChange(withLibraryVersion(row, value))}
      />
    </div>
  );
}

interface AddFromLibraryProps {
  onAdd: (skill: SkillSummary) => void;
}

/** Chooses one of the skills that the person can see. */
export function AddFromLibrary({ onAdd }: AddFromLibraryProps) {
  const t = useSkillsTexts();
  const { data: skills = [] } = useSkills();
  return (
    <Picker
      fit
      aria-label={t('add_from_library')}
      value=""
      placeholder={skills.length === 0 ? t('library_empty') : t('add_from_library')}
      disabled={skills.length === 0}
      choices={skills.map(({ id, name, description }) => ({ value: id, label: name, hint: description }))}
      onChange={(id) => {
        const skill = skills.find((one) => one.id === id);
        if (skill) onAdd(skill);
      }}
    />
  );
}
