import { Sparkles } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../../ui/actions/button.tsx';
import { Input, TextArea } from '../../../ui/forms/input.tsx';
import type { ParameterFieldProps } from '../parameter-field-props.ts';
import { ParameterRows } from '../row-list.tsx';
import { filesOf, type SkillRow, skillRows, withFiles } from './skill-rows.ts';
import { useSkillsTexts } from './texts/use-skills-texts.ts';

const SkillBuilderDialog = lazy(() =>
  import('./skill-builder-dialog.tsx').then((module) => ({ default: module.SkillBuilderDialog })),
);

const EMPTY: SkillRow = { name: '', content: '' };

/** Texts that are put before the instruction of an agent, each with a builder that writes it. */
export function SkillsField(props: ParameterFieldProps) {
  const { value, onBlur } = props;
  const t = useSkillsTexts();
  const [built, setBuilt] = useState<{ row: SkillRow; change: (row: SkillRow) => void }>();
  return (
    <>
      <ParameterRows
        field={props}
        rows={skillRows(value)}
        empty={EMPTY}
        draw={(row, index, change) => (
          <div className="flex flex-col gap-1.5">
            <Input
              aria-label={t('name_of', { row: index + 1 })}
              placeholder={t('name')}
              value={row.name}
              onChange={(event) => change({ ...row, name: event.target.value })}
              onBlur={onBlur}
            />
            <TextArea
              mono
              rows={6}
              aria-label={t('content_of', { row: index + 1 })}
              placeholder={t('content')}
              value={row.content}
              onChange={(event) => change({ ...row, content: event.target.value })}
              onBlur={onBlur}
            />
            <Button size="small" className="self-start" onClick={() => setBuilt({ row, change })}>
              <Sparkles aria-hidden />
              {t('build')}
            </Button>
          </div>
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
