import {
  EVAL_LIMITS,
  type EvalRunSummary,
  type EvalScoring,
  type EvalSuite,
  startEvalRun,
} from '@millrace/contracts';
import { useCredentialModels, useModelCredentials } from '../../data/credentials.ts';
import { useStartEvalRun } from '../../data/evals.ts';
import { NoModel } from '../../features/conversation/with-models.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Input, TextArea } from '../../ui/forms/input.tsx';
import { Picker } from '../../ui/forms/picker.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { TokenInput } from '../../ui/forms/token-input.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { ScoringField } from './prompt-fields.tsx';
import { useEvalsTexts } from './texts/use-evals-texts.ts';

const EFFORTS = ['none', 'low', 'medium', 'high'] as const;
type Effort = (typeof EFFORTS)[number];

interface Values {
  credential_id: string;
  models: string[];
  scoring_method: EvalScoring;
  judge_model: string;
  runs_per_test: string;
  temperature: string;
  reasoning_effort: Effort;
  max_tokens: string;
  second_prompt: string;
}

interface RunDialogProps {
  suite: EvalSuite;
  onClose: () => void;
  onStarted: (run: EvalRunSummary) => void;
}

/** Over which models and prompts a suite is run, and how its answers are scored. */
export function RunDialog({ suite, onClose, onStarted }: RunDialogProps) {
  const t = useEvalsTexts();
  const start = useStartEvalRun();
  const { data: credentials = [], isPending } = useModelCredentials();
  const buildBody = ({ second_prompt, reasoning_effort, temperature, max_tokens, ...values }: Values) => ({
    ...values,
    credential_id: values.credential_id || credentials[0]?.id || '',
    judge_model: values.scoring_method === 'llm_judge' ? values.judge_model : null,
    runs_per_test: Number(values.runs_per_test),
    temperature: temperature.trim() === '' ? null : Number(temperature),
    reasoning_effort: reasoning_effort === 'none' ? null : reasoning_effort,
    max_tokens: max_tokens.trim() === '' ? null : Number(max_tokens),
    prompts:
      second_prompt.trim() === ''
        ? null
        : [
            { name: t('suite_prompt'), system_prompt: suite.system_prompt },
            { name: t('other_prompt'), system_prompt: second_prompt },
          ],
  });
  const form = useForm<Values>({
    initial: {
      credential_id: '',
      models: [],
      scoring_method: suite.scoring_method,
      judge_model: '',
      runs_per_test: '1',
      temperature: '0.7',
      reasoning_effort: 'none',
      max_tokens: '',
      second_prompt: '',
    },
    schema: startEvalRun.body,
    toBody: buildBody,
    submit: async (values) => {
      const run = await start.mutateAsync({ params: { id: suite.id }, body: buildBody(values) });
      onClose();
      toast.done(t('started'));
      onStarted(run);
    },
  });
  const { values } = form;
  const prompts = values.second_prompt.trim() === '' ? 1 : 2;
  const answers = suite.test_cases.length * values.models.length * prompts * Number(values.runs_per_test);
  const known = values.credential_id || credentials[0]?.id;
  return (
    <FormDialog
      form={form}
      size="large"
      title={t('run_title', { name: suite.name })}
      action={t('start')}
      onClose={onClose}
    >
      {credentials.length === 0 && !isPending ? (
        <NoModel />
      ) : (
        <>
          <Field label={t('credential')} error={form.errors['credential_id']}>
            {(control) => (
              <Select
                {...control}
                value={known ?? ''}
                choices={credentials.map(({ id, name }) => ({ value: id, label: name }))}
                onChange={(credential_id) => form.change({ credential_id, models: [] })}
              />
            )}
          </Field>
          <ModelFields form={form} credential_id={known} />
          <ScoringField form={form} />
          <Settings form={form} />
          <p className="text-sm text-soft" aria-live="polite">
            {t('answers', { count: Number.isFinite(answers) ? answers : 0 })}
          </p>
        </>
      )}
    </FormDialog>
  );
}

interface PartProps {
  form: ReturnType<typeof useForm<Values>>;
}

function ModelFields({ form, credential_id }: PartProps & { credential_id: string | undefined }) {
  const t = useEvalsTexts();
  const models = useCredentialModels(credential_id);
  const { values, errors, change } = form;
  const choices = (models.data ?? []).map(({ id, name }) => ({
    value: id,
    label: name,
    ...(name === id ? {} : { hint: id }),
  }));
  return (
    <>
      <Field
        label={t('model_names')}
        hint={t('models_hint', { count: EVAL_LIMITS.models })}
        error={errors['models']}
      >
        {(control) => (
          <TokenInput {...control} tokens={values.models} onChange={(names) => change({ models: names })} />
        )}
      </Field>
      {choices.length === 0 ? null : (
        <Picker
          aria-label={t('add_model')}
          fit
          className="self-start"
          value=""
          placeholder={t('add_model')}
          choices={choices.filter(({ value }) => !values.models.includes(value))}
          onChange={(name) => change({ models: [...values.models, name] })}
        />
      )}
      {values.scoring_method === 'llm_judge' ? (
        <Field label={t('judge_model')} error={errors['judge_model']}>
          {(control) =>
            choices.length === 0 ? (
              <Input
                {...control}
                value={values.judge_model}
                onChange={(event) => change({ judge_model: event.target.value })}
              />
            ) : (
              <Picker
                {...control}
                value={values.judge_model}
                placeholder={t('model')}
                choices={choices}
                onChange={(judge_model) => change({ judge_model })}
              />
            )
          }
        </Field>
      ) : null}
    </>
  );
}

function Settings({ form }: PartProps) {
  const t = useEvalsTexts();
  const { values, errors, change } = form;
  return (
    <>
      <Field label={t('second_prompt')} optional hint={t('second_prompt_hint')} error={errors['prompts']}>
        {(control) => (
          <TextArea
            {...control}
            value={values.second_prompt}
            onChange={(event) => change({ second_prompt: event.target.value })}
          />
        )}
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('repetitions')} error={errors['runs_per_test']}>
          {(control) => (
            <Input
              {...control}
              type="number"
              min={1}
              max={EVAL_LIMITS.runs_per_test}
              value={values.runs_per_test}
              onChange={(event) => change({ runs_per_test: event.target.value })}
            />
          )}
        </Field>
        <Field label={t('temperature')} optional hint={t('temperature_hint')} error={errors['temperature']}>
          {(control) => (
            <Input
              {...control}
              type="number"
              min={0}
              max={2}
              step="0.1"
              value={values.temperature}
              onChange={(event) => change({ temperature: event.target.value })}
            />
          )}
        </Field>
        <Field label={t('reasoning')}>
          {(control) => (
            <Select<Effort>
              {...control}
              value={values.reasoning_effort}
              choices={EFFORTS.map((effort) => ({ value: effort, label: t(`reasoning_${effort}`) }))}
              onChange={(reasoning_effort) => change({ reasoning_effort })}
            />
          )}
        </Field>
        <Field label={t('max_tokens')} optional error={errors['max_tokens']}>
          {(control) => (
            <Input
              {...control}
              type="number"
              min={1}
              value={values.max_tokens}
              onChange={(event) => change({ max_tokens: event.target.value })}
            />
          )}
        </Field>
      </div>
    </>
  );
}
