import { type EvalScoring, evalScoring } from '@millrace/contracts';
import { Field } from '../../ui/forms/field.tsx';
import { TextArea } from '../../ui/forms/input.tsx';
import type { FormWith } from '../../ui/forms/name-fields.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { useEvalsTexts } from './texts/use-evals-texts.ts';

interface ScoringFieldProps {
  form: FormWith<{ scoring_method: EvalScoring }>;
}

/** How answers are compared with what is expected. */
export function ScoringField({ form: { values, errors, change } }: ScoringFieldProps) {
  const t = useEvalsTexts();
  return (
    <Field
      label={t('scoring')}
      hint={t(`scoring_hint_${values.scoring_method}`)}
      error={errors['scoring_method']}
    >
      {(control) => (
        <Select<EvalScoring>
          {...control}
          value={values.scoring_method}
          choices={evalScoring.options.map((method) => ({ value: method, label: t(`scoring_${method}`) }))}
          onChange={(scoring_method) => change({ scoring_method })}
        />
      )}
    </Field>
  );
}

interface PromptFieldsProps {
  form: FormWith<{ system_prompt: string }> & FormWith<{ scoring_method: EvalScoring }>;
  rows: number;
}

/** The prompt of a suite, and how answers are scored. */
export function PromptFields({ form, rows }: PromptFieldsProps) {
  const t = useEvalsTexts();
  return (
    <>
      <Field label={t('system_prompt')} optional error={form.errors['system_prompt']}>
        {(control) => (
          <TextArea
            {...control}
            rows={rows}
            value={form.values.system_prompt}
            onChange={(event) => form.change({ system_prompt: event.target.value })}
          />
        )}
      </Field>
      <ScoringField form={form} />
    </>
  );
}
