import { createEvalSuite, type EvalScoring, type EvalSuiteSummary, evalScoring } from '@millrace/contracts';
import { useTranslations } from 'use-intl';
import { useCreateEvalSuite, useUpdateEvalSuite } from '../../data/evals.ts';
import { Field } from '../../ui/forms/field.tsx';
import { TextArea } from '../../ui/forms/input.tsx';
import { DescriptionField, NameField } from '../../ui/forms/name-fields.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { useEvalsTexts } from './texts/use-evals-texts.ts';

interface ScoringFieldProps {
  value: EvalScoring;
  error?: string | undefined;
  onChange: (value: EvalScoring) => void;
}

/** How answers are compared with what is expected. */
export function ScoringField({ value, error, onChange }: ScoringFieldProps) {
  const t = useEvalsTexts();
  return (
    <Field label={t('scoring')} hint={t(`scoring_hint_${value}`)} error={error}>
      {(control) => (
        <Select<EvalScoring>
          {...control}
          value={value}
          choices={evalScoring.options.map((method) => ({ value: method, label: t(`scoring_${method}`) }))}
          onChange={onChange}
        />
      )}
    </Field>
  );
}

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
  const update = useUpdateEvalSuite(suite?.id ?? '');
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
        ? await update.mutateAsync({ name, description })
        : await create.mutateAsync(values);
      onClose();
      toast.done(t(suite ? 'saved' : 'created', { name }));
      if (!suite) onCreated?.(id);
    },
  });
  const { values, change, errors } = form;
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
      {suite ? null : (
        <>
          <Field label={t('system_prompt')} optional error={errors['system_prompt']}>
            {(control) => (
              <TextArea
                {...control}
                rows={5}
                value={values.system_prompt}
                onChange={(event) => change({ system_prompt: event.target.value })}
              />
            )}
          </Field>
          <ScoringField
            value={values.scoring_method}
            error={errors['scoring_method']}
            onChange={(scoring_method) => change({ scoring_method })}
          />
        </>
      )}
    </FormDialog>
  );
}
