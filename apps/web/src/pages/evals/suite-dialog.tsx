import { createEvalSuite, type EvalSuiteSummary } from '@millrace/contracts';
import { useTranslations } from 'use-intl';
import { useCreateEvalSuite, useUpdateEvalSuite } from '../../data/evals.ts';
import { DescriptionField, NameField } from '../../ui/forms/name-fields.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { PromptFields } from './prompt-fields.tsx';
import { useEvalsTexts } from './texts/use-evals-texts.ts';

interface SuiteDialogProps {
  /** A stored one to change; absent for a new one. */
  suite?:
    | Pick<EvalSuiteSummary, 'id' | 'name' | 'description' | 'system_prompt' | 'scoring_method'>
    | undefined;
  onClose: () => void;
  onCreated?: (id: string) => void;
}

/** Name and description of a suite; for a new one its prompt and scoring, too, which its page changes later. */
export function SuiteDialog({ suite, onClose, onCreated }: SuiteDialogProps) {
  const t = useEvalsTexts();
  const ui = useTranslations('ui');
  const create = useCreateEvalSuite();
  const update = useUpdateEvalSuite();
  const form = useForm({
    initial: {
      name: suite?.name ?? '',
      description: suite?.description ?? '',
      system_prompt: suite?.system_prompt ?? '',
      scoring_method: suite?.scoring_method ?? 'exact_match',
    },
    schema: createEvalSuite.body,
    submit: async (values) => {
      const { name, description } = values;
      const { id } = suite
        ? await update.mutateAsync({ params: { id: suite.id }, body: { name, description } })
        : await create.mutateAsync({ body: values });
      onClose();
      toast.done(t(suite ? 'saved' : 'created', { name }));
      if (!suite) onCreated?.(id);
    },
  });
  return (
    <FormDialog
      form={form}
      title={suite ? t('edit') : t('new')}
      description={t('new_hint')}
      action={suite ? ui('save') : t('create')}
      onClose={onClose}
    >
      <NameField form={form} />
      <DescriptionField form={form} />
      {suite ? null : <PromptFields form={form} rows={5} />}
    </FormDialog>
  );
}
