import { isScript } from '@millrace/nodes/skill-path';
import { Sparkles } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../../ui/actions/button.tsx';
import { Input, TextArea } from '../../../ui/forms/input.tsx';
import type { ParameterFieldProps } from '../parameter-field-props.ts';
import { ParameterRows } from '../row-list.tsx';
import { SkillFiles } from './skill-files.tsx';
import { skillRowFiles } from './skill-row-files.ts';
import { filesOf, type SkillRow, skillRows, timeoutOf, withFiles, withTimeout } from './skill-rows.ts';
import { useSkillsTexts } from './texts/use-skills-texts.ts';

const SkillBuilderDialog = lazy(() =>
  import('./skill-builder-dialog.tsx').then((module) => ({ default: module.SkillBuilderDialog })),
);

const EMPTY: SkillRow = { name: '', content: '' };

/** Skills of an agent: a text that is put before its instruction, files beside it, and a builder that writes them. */
export function SkillsField(props: ParameterFieldProps) {
  const { value, onBlur } = props;
  const [built, setBuilt] = useState<{ row: SkillRow; change: (row: SkillRow) => void }>();
  return (
    <>
      <ParameterRows
        field={props}
        rows={skillRows(value)}
        empty={EMPTY}
        draw={(row, index, change) => (
          <Skill
            row={row}
            number={index + 1}
            onChange={change}
            onBlur={onBlur}
            onBuild={() => setBuilt({ row, change })}
          />
        )}
      />
      {built ? (
        <Suspense>
          <SkillBuilderDialog
            name={built.row.name}
            files={filesOf(built.row)}
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
            value={timeoutOf(row)}
            onChange={(event) => onChange(withTimeout(row, event.target.value))}
            onBlur={onBlur}
          />
        </div>
      ) : null}
      <Button size="small" className="self-start" onClick={onBuild}>
        <Sparkles aria-hidden />
        {t('build')}
      </Button>
    </div>
  );
}
