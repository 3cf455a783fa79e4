import { createSkill, type Skill, type SkillSummary, updateSkill } from '@millrace/contracts';
import { isScript } from '@millrace/nodes/skill-path';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useCreateSkill, useSkill, useUpdateSkill } from '../../data/skills.ts';
import { SkillFiles } from '../../features/skill/skill-files.tsx';
import { isBinary, type SkillRowFile } from '../../features/skill/skill-row-files.ts';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Input, TextArea } from '../../ui/forms/input.tsx';
import { NameField } from '../../ui/forms/name-fields.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { SharedSkillDialog } from './shared-skill-dialog.tsx';
import { useLibraryTexts } from './texts/use-library-texts.ts';

interface SkillDialogProps {
  /** A stored one; absent for a new one. */
  skill?: SkillSummary | undefined;
  onClose: () => void;
}

/** A skill with its SKILL.md and its files, which only its owner can change. A stored one is loaded first: lists have no texts. */
export function SkillDialog({ skill, onClose }: SkillDialogProps) {
  if (!skill) return <SkillForm onClose={onClose} />;
  const Stored = skill.is_shared ? SharedSkillDialog : StoredSkill;
  return <Stored skill={skill} onClose={onClose} />;
}

function StoredSkill({ skill, onClose }: { skill: SkillSummary; onClose: () => void }) {
  const t = useLibraryTexts();
  const query = useSkill(skill.id);
  if (query.data) return <SkillForm skill={query.data} onClose={onClose} />;
  return (
    <Dialog open onOpenChange={onClose} title={t('edit', { name: skill.name })}>
      {query.isLoadingError ? (
        <LoadFailed error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <SkeletonRows />
      )}
    </Dialog>
  );
}

interface Values {
  name: string;
  content: string;
  files: readonly SkillRowFile[];
  timeout: string;
}

const buildBody = ({ name, content, files, timeout }: Values) => ({
  name,
  content,
  files: files.map((file) => ({
    path: file.path,
    content: file.content,
    encoding: isBinary(file) ? ('base64' as const) : ('text' as const),
  })),
  timeout_seconds: Number(timeout),
});

function useSkillForm({ skill, onClose }: { skill: Skill | undefined; onClose: () => void }) {
  const t = useLibraryTexts();
  const create = useCreateSkill();
  const update = useUpdateSkill();
  // The skill may be loaded again while the form is open, which still holds the text of the version that it started with.
  const [base_version] = useState(skill?.version);
  return useForm<Values>({
    initial: {
      name: skill?.name ?? '',
      content: skill?.content ?? '---\nname: \ndescription: \n---\n\n',
      files: skill?.files ?? [],
      timeout: String(skill?.timeout_seconds ?? 30),
    },
    schema: skill ? updateSkill.body : createSkill.body,
    toBody: buildBody,
    submit: async (values) => {
      const body = buildBody(values);
      const { name, version } = skill
        ? await update.mutateAsync({
            params: { id: skill.id },
            body: { base_version: base_version ?? skill.version, ...body },
          })
        : await create.mutateAsync({ body });
      onClose();
      toast.done(skill ? t('saved', { name, version }) : t('created', { name }));
    },
  });
}

function SkillForm({ skill, onClose }: { skill?: Skill; onClose: () => void }) {
  const t = useLibraryTexts();
  const ui = useTranslations('ui');
  const form = useSkillForm({ skill, onClose });
  const { values, errors, change } = form;
  const fileProblem = Object.entries(errors).find(([field]) => field.startsWith('files'))?.[1];
  return (
    <FormDialog
      form={form}
      size="large"
      title={skill ? t('edit', { name: skill.name }) : t('new')}
      description={skill ? undefined : t('new_hint')}
      action={skill ? ui('save') : t('create')}
      onClose={onClose}
    >
      <NameField form={form} />
      <Field label={t('content')} hint={t('content_hint')} error={errors['content']}>
        {(control) => (
          <TextArea
            {...control}
            mono
            rows={12}
            spellCheck={false}
            value={values.content}
            onChange={(event) => change({ content: event.target.value })}
          />
        )}
      </Field>
      <SkillFiles
        row={1}
        files={values.files}
        onChange={(files) => change({ files })}
        onBlur={() => undefined}
      />
      {fileProblem === undefined ? null : <p className="text-sm text-danger">{fileProblem}</p>}
      {values.files.some(({ path }) => isScript(path)) ? (
        <Field label={t('timeout')} error={errors['timeout_seconds']}>
          {(control) => (
            <Input
              {...control}
              inputMode="numeric"
              value={values.timeout}
              onChange={(event) => change({ timeout: event.target.value })}
            />
          )}
        </Field>
      ) : null}
    </FormDialog>
  );
}
