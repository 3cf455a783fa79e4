import type { PublishGate, Workflow } from '@millrace/contracts';
import { GATE_LIMITS } from '@millrace/contracts';
import { Trash2 } from 'lucide-react';
import { useModelCredentials } from '../../data/credentials.ts';
import { useEvalSuites } from '../../data/evals.ts';
import type { GateSuiteInput } from '../../data/publish-gate.ts';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { Picker } from '../../ui/forms/picker.tsx';
import type { FieldErrors } from '../../ui/forms/use-form.ts';
import { useWorkflowTexts } from './texts/use-workflow-texts.ts';

/** A suite of the gate as it is edited. */
export interface GateValue {
  readonly suite_id: string;
  readonly name: string;
  readonly percent: string;
  readonly judge_credential_id: string;
  readonly judge_model: string;
}

export const toGateValues = ({ suites }: PublishGate): GateValue[] =>
  suites.map((suite) => ({
    suite_id: suite.suite_id,
    name: suite.suite_name,
    percent: String(suite.least_pass_percent),
    judge_credential_id: suite.judge_credential_id ?? '',
    judge_model: suite.judge_model ?? '',
  }));

export const gateBody = (values: readonly GateValue[]): GateSuiteInput[] =>
  values.map(({ suite_id, percent, judge_credential_id, judge_model }) => ({
    suite_id,
    least_pass_percent: Number(percent),
    judge_credential_id: judge_credential_id || null,
    judge_model: judge_model || null,
  }));

interface GateFieldsProps {
  workflow: Workflow;
  values: readonly GateValue[];
  errors: FieldErrors;
  onChange: (values: GateValue[]) => void;
}

/** Which evals have to pass before a draft is published, and how much of each. */
export function GateFields({ workflow, values, errors, onChange }: GateFieldsProps) {
  const t = useWorkflowTexts('gate');
  const own = useWorkflowTexts();
  const isOwner = workflow.access === 'owner';
  const { data: suites } = useEvalSuites();
  const free = (suites ?? []).filter(({ id }) => !values.some(({ suite_id }) => suite_id === id));
  const add = (suite_id: string) => {
    const name = free.find(({ id }) => id === suite_id)?.name ?? '';
    onChange([...values, { suite_id, name, percent: '100', judge_credential_id: '', judge_model: '' }]);
  };
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="pb-1 text-sm font-medium">{t('title')}</legend>
      <p className="text-sm text-soft">
        {isOwner ? t('hint') : own('owner_only', { name: workflow.owner_name })}
      </p>
      {values.length === 0 && !isOwner ? <p className="text-sm text-faint">{t('none')}</p> : null}
      <ul className="flex flex-col gap-3">
        {values.map((value, index) => (
          <SuiteFields
            key={value.suite_id}
            value={value}
            scoring={suites?.find(({ id }) => id === value.suite_id)?.scoring_method}
            isGone={isOwner && suites !== undefined && !suites.some(({ id }) => id === value.suite_id)}
            disabled={!isOwner}
            getError={(name) => errors[`suites.${index}.${name}`]}
            onChange={(part) => onChange(values.map((one, at) => (at === index ? { ...one, ...part } : one)))}
            onRemove={() => onChange(values.filter((_, at) => at !== index))}
          />
        ))}
      </ul>
      {!isOwner || values.length >= GATE_LIMITS.suites ? null : free.length === 0 ? (
        values.length === 0 && suites ? (
          <p className="text-sm text-faint">{t('no_suites')}</p>
        ) : null
      ) : (
        <Picker
          aria-label={t('add')}
          fit
          className="self-start"
          value=""
          placeholder={t('add')}
          choices={free.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={add}
        />
      )}
    </fieldset>
  );
}

interface SuiteFieldsProps {
  value: GateValue;
  scoring: string | undefined;
  isGone: boolean;
  disabled: boolean;
  getError: (name: string) => string | undefined;
  onChange: (part: Partial<GateValue>) => void;
  onRemove: () => void;
}

function SuiteFields({ value, scoring, isGone, disabled, getError, onChange, onRemove }: SuiteFieldsProps) {
  const t = useWorkflowTexts('gate');
  const { name, percent } = value;
  return (
    <li className="flex flex-col gap-2">
      <div className="flex items-start gap-2">
        <span className="min-w-0 flex-1 pt-1.5 break-words">{name}</span>
        <Field
          label={t('suite_percent', { name })}
          hideLabel
          className="w-24"
          error={getError('least_pass_percent')}
        >
          {(control) => (
            <Input
              {...control}
              type="number"
              min={1}
              max={100}
              title={t('percent')}
              disabled={disabled || isGone}
              value={percent}
              onChange={(event) => onChange({ percent: event.target.value })}
            />
          )}
        </Field>
        <span className="pt-1.5" aria-hidden>
          %
        </span>
        {disabled ? null : (
          <IconButton label={t('remove', { name })} icon={<Trash2 aria-hidden />} onClick={onRemove} />
        )}
      </div>
      {isGone || getError('suite_id') ? (
        <p role="alert" className="text-sm text-danger">
          {t('deleted')}
        </p>
      ) : null}
      {scoring === 'llm_judge' ? <JudgeFields value={value} getError={getError} onChange={onChange} /> : null}
    </li>
  );
}

function JudgeFields({
  value,
  getError,
  onChange,
}: Pick<SuiteFieldsProps, 'value' | 'getError' | 'onChange'>) {
  const t = useWorkflowTexts('gate');
  const { data: credentials = [] } = useModelCredentials();
  const { name } = value;
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field label={t('judge_credential', { name })} error={getError('judge_credential_id')}>
        {(control) => (
          <Picker
            {...control}
            value={value.judge_credential_id}
            choices={credentials.map((credential) => ({ value: credential.id, label: credential.name }))}
            onChange={(judge_credential_id) => onChange({ judge_credential_id })}
          />
        )}
      </Field>
      <Field label={t('judge_model', { name })} error={getError('judge_model')}>
        {(control) => (
          <Input
            {...control}
            value={value.judge_model}
            onChange={(event) => onChange({ judge_model: event.target.value })}
          />
        )}
      </Field>
    </div>
  );
}
