import { createEvalTestCase } from '@millrace/contracts';
import { useNavigate } from '@tanstack/react-router';
import { useAddEvalTestCases, useCreateEvalSuite, useEvalSuites } from '../../data/evals.ts';
import { Field } from '../../ui/forms/field.tsx';
import { Input, TextArea } from '../../ui/forms/input.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { useEvalsTexts } from './texts/use-evals-texts.ts';

/** A call of a model as a test case: the question and the answer. */
export interface CaseFromCall {
  readonly system_prompt: string;
  readonly input: string;
  readonly expected_output: string;
  /** The conversation had more messages than the question. */
  readonly is_one_of_many: boolean;
  /** The texts are not whole. */
  readonly is_cut: boolean;
}

const NEW = '';

/** Adds a call of a model to an eval suite, or to a new one with its system prompt. */
export function AddToSuiteDialog({ call, onClose }: { call: CaseFromCall; onClose: () => void }) {
  const t = useEvalsTexts();
  const navigate = useNavigate();
  const { data: suites = [] } = useEvalSuites();
  const create = useCreateEvalSuite();
  const add = useAddEvalTestCases();
  const form = useForm({
    initial: {
      suite_id: NEW,
      name: '',
      input: call.input,
      expected_output: call.expected_output,
    },
    schema: createEvalTestCase.body,
    submit: async ({ suite_id, name, input, expected_output }) => {
      const { system_prompt } = call;
      const suite =
        suites.find(({ id }) => id === suite_id) ??
        (await create.mutateAsync({ body: { name, system_prompt } }));
      // A second try must not create it again.
      form.change({ suite_id: suite.id });
      await add.mutateAsync({ id: suite.id, cases: [{ input, expected_output }] });
      onClose();
      const open = () => void navigate({ to: '/evals/$id', params: { id: suite.id } });
      toast.done(t('case_added', { name: suite.name }), { action: { label: t('open_suite'), run: open } });
    },
  });
  const { values, errors, change } = form;
  const texts = [
    ['input', t('input')],
    ['expected_output', t('expected')],
  ] as const;
  return (
    <FormDialog
      form={form}
      title={t('add_to_suite')}
      description={t('add_to_suite_hint')}
      action={t('add')}
      onClose={onClose}
    >
      <Field label={t('suite')}>
        {(control) => (
          <Select
            {...control}
            value={values.suite_id}
            choices={[
              { value: NEW, label: t('new_suite') },
              ...suites.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            onChange={(suite_id) => change({ suite_id })}
          />
        )}
      </Field>
      {values.suite_id === NEW ? (
        <Field label={t('new_suite_name')} required error={errors['name']}>
          {(control) => (
            <Input
              {...control}
              value={values.name}
              onChange={(event) => change({ name: event.target.value })}
            />
          )}
        </Field>
      ) : null}
      {call.is_one_of_many ? <p className="text-sm text-soft">{t('one_of_many')}</p> : null}
      {call.is_cut ? <p className="text-sm text-soft">{t('was_cut')}</p> : null}
      {texts.map(([key, label]) => (
        <Field key={key} label={label} error={errors[key]}>
          {(control) => (
            <TextArea
              {...control}
              rows={5}
              value={values[key]}
              onChange={(event) => change({ [key]: event.target.value })}
            />
          )}
        </Field>
      ))}
    </FormDialog>
  );
}
