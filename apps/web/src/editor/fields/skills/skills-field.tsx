import { isScript } from '@millrace/nodes/skill-path';
import { GraduationCap, Sparkles } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useCreateSkill } from '../../../data/skills.ts';
import { SkillFiles } from '../../../features/skill/skill-files.tsx';
import { skillRowFiles } from '../../../features/skill/skill-row-files.ts';
import { lazy } from '../../../lib/code/lazy.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { Input, TextArea } from '../../../ui/forms/input.tsx';
import { showFailure, toast } from '../../../ui/overlays/toast.ts';
import type { ParameterFieldProps } from '../parameter-field-props.ts';
import { ParameterRows } from '../row-list.tsx';
import { libraryRow, readLibraryId, toSkillBody } from './library-rows.ts';
import { AddFromLibrary, LibrarySkill } from './library-skill.tsx';
import { formatTimeout, listFiles, type SkillRow, skillRows, withFiles, withTimeout } from './skill-rows.ts';
import { useSkillsTexts } from './texts/use-skills-texts.ts';

const SkillBuilderDialog = lazy(() =>
  import('./skill-builder-dialog.tsx').then((module) => ({ default: module.SkillBuilderDialog })),
);

const EMPTY: SkillRow = { name: '', content: '' };

/** Skills of an agent: a text that is put before its instruction, files beside it, and a builder that writes them. */
export function SkillsField(props: ParameterFieldProps) {
  const { value, onBlur, onChange } = props;
  const [built, setBuilt] = useState<{ row: SkillRow; change: (row: SkillRow) => void }>();
  return (
    <>
      <ParameterRows
        field={props}
        rows={skillRows(value)}
        empty={EMPTY}
        draw={(row, index, change) =>
          readLibraryId(row) === '' ? (
            <Skill
              row={row}
              number={index + 1}
              onChange={change}
              onBlur={onBlur}
              onBuild={() => setBuilt({ row, change })}
            />
          ) : (
            <LibrarySkill row={row} number={index + 1} onChange={change} />
          )
        }
      />
      <AddFromLibrary onAdd={(skill) => onChange([...skillRows(value), libraryRow(skill)])} />
      {built ? (
        <Suspense>
          <SkillBuilderDialog
            name={built.row.name}
            files={listFiles(built.row)}
            onUse={(files) => {
              built.change(withFiles(built.row, files));
              onBlur();
            }}
            onClose={() => setBuilt(undefined)}
          />
        </Suspense>
      ) : null}
    </>
  );
}

/** Makes the skill one of the library, which the agent uses from then on. */
function SaveToLibrary({ row, onSaved }: { row: SkillRow; onSaved: (row: SkillRow) => void }) {
  const t = useSkillsTexts();
  const create = useCreateSkill();
  const save = () =>
    void create.mutateAsync({ body: toSkillBody(row) }).then((skill) => {
      onSaved(libraryRow(skill));
      toast.done(t('saved_to_library', { name: skill.name }));
    }, showFailure);
  return (
    <Button size="small" busy={create.isPending} disabled={row.name.trim() === ''} onClick={save}>
      <GraduationCap aria-hidden />
      {t('save_to_library')}
    </Button>
  );
}

interface SkillProps {
  row: SkillRow;
  /** From 1. */
  number: number;
  onChange: (row: SkillRow) => void;
  onBlur: () => void;
  onBuild: () => void;
}

function Skill({ row, number, onChange, onBlur, onBuild }: SkillProps) {
  const t = useSkillsTexts();
  const files = skillRowFiles(row['files']);
  return (
    <div className="flex flex-col gap-1.5">
      <Input
        aria-label={t('name_of', { row: number })}
        placeholder={t('name')}
        value={row.name}
        onChange={(event) => onChange({ ...row, name: event.target.value })}
        onBlur={onBlur}
      />
      <TextArea
        mono
        rows={6}
        aria-label={t('content_of', { row: number })}
        placeholder={t('content')}
        value={row.content}
        onChange={(event) => onChange({ ...row, content: event.target.value })}
        onBlur={onBlur}
      />
      <SkillFiles
        row={number}
        files={files}
        onChange={(next) => onChange({ ...row, files: next })}
        onBlur={onBlur}
      />
      {files.some(({ path }) => isScript(path)) ? (
        <div className="flex flex-wrap items-center gap-2 text-sm">
          <span>{t('timeout')}</span>
          <Input
            className="w-24"
            inputMode="numeric"
            aria-label={t('timeout_of', { row: number })}
            placeholder="30"
            value={formatTimeout(row)}
            onChange={(event) => onChange(withTimeout(row, event.target.value))}
            onBlur={onBlur}
          />
        </div>
      ) : null}
      <div className="flex flex-wrap gap-1.5">
        <Button size="small" onClick={onBuild}>
          <Sparkles aria-hidden />
          {t('build')}
        </Button>
        <SaveToLibrary row={row} onSaved={onChange} />
      </div>
    </div>
  );
}
