import { getWorkflowQueue, type Workflow } from '@millrace/contracts';
import { useEndpoint } from '../../data/endpoint.ts';
import { Field } from '../../ui/forms/field.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { numberOrNone } from '../../ui/forms/number-or-none.ts';
import { Select } from '../../ui/forms/select.tsx';
import type { FieldErrors } from '../../ui/forms/use-form.ts';
import { CostEstimateNote } from './cost-estimate-note.tsx';
import { useWorkflowTexts } from './texts/use-workflow-texts.ts';

/** As typed. */
export interface LimitValues {
  at_once: string;
  key: string;
  waiting: string;
  overflow: Workflow['queue_overflow'];
  priority: string;
  run_budget: string;
  daily_budget: string;
}

export const toLimitValues = (workflow: Workflow): LimitValues => ({
  at_once: String(workflow.concurrency_limit ?? ''),
  key: workflow.concurrency_key ?? '',
  waiting: String(workflow.queue_limit ?? ''),
  overflow: workflow.queue_overflow,
  priority: String(workflow.priority),
  run_budget: String(workflow.run_budget_usd ?? ''),
  daily_budget: String(workflow.daily_budget_usd ?? ''),
});

export const limitsBody = ({
  at_once,
  key,
  waiting,
  overflow,
  priority,
  run_budget,
  daily_budget,
}: LimitValues) => ({
  concurrency_limit: numberOrNone(at_once),
  concurrency_key: key,
  queue_limit: numberOrNone(waiting),
  queue_overflow: overflow,
  priority: numberOrNone(priority) ?? 0,
  run_budget_usd: numberOrNone(run_budget),
  daily_budget_usd: numberOrNone(daily_budget),
});

interface LimitsFieldsProps {
  workflow: Workflow;
  values: LimitValues;
  errors: FieldErrors;
  onChange: (part: Partial<LimitValues>) => void;
}

/** How many runs of the workflow there may be, which of them go first, and what they may cost. */
export function LimitsFields({ workflow, values, errors, onChange }: LimitsFieldsProps) {
  const t = useWorkflowTexts();
  const isOwner = workflow.access === 'owner';
  const hint = (text: string) => (isOwner ? text : t('owner_only', { name: workflow.owner_name }));
  const isLimited = values.at_once.trim() !== '';
  const text = (
    name: 'at_once' | 'key' | 'waiting' | 'priority' | 'run_budget' | 'daily_budget',
    isNumber = true,
  ) => ({
    disabled: !isOwner,
    value: values[name],
    onChange: (event: { target: { value: string } }) => onChange({ [name]: event.target.value }),
    ...(isNumber ? { inputMode: 'decimal' as const } : { spellCheck: false, className: 'font-mono' }),
  });
  return (
    <fieldset className="flex flex-col gap-4">
      <legend className="pb-2 text-sm font-medium">{t('limits')}</legend>
      {workflow.concurrency_limit === null ? null : <QueueNow id={workflow.id} />}
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label={t('concurrency_limit')}
          optional={isOwner}
          hint={hint(t('concurrency_limit_hint'))}
          error={errors['concurrency_limit']}
        >
          {(control) => <Input {...control} {...text('at_once')} />}
        </Field>
        <Field label={t('priority')} hint={hint(t('priority_hint'))} error={errors['priority']}>
          {(control) => <Input {...control} {...text('priority')} />}
        </Field>
        {(['run_budget', 'daily_budget'] as const).map((name) => (
          <Field
            key={name}
            label={t(name)}
            optional={isOwner}
            hint={hint(t(`${name}_hint`))}
            error={errors[`${name}_usd`]}
          >
            {(control) => <Input {...control} {...text(name)} />}
          </Field>
        ))}
        <div className="sm:col-span-2">
          <CostEstimateNote id={workflow.id} detailed />
        </div>
        {isLimited ? (
          <>
            <Field
              className="sm:col-span-2"
              label={t('concurrency_key')}
              optional={isOwner}
              hint={hint(t('concurrency_key_hint'))}
              error={errors['concurrency_key']}
            >
              {(control) => <Input {...control} {...text('key', false)} placeholder="$input.body.customer" />}
            </Field>
            <Field
              label={t('queue_limit')}
              optional={isOwner}
              hint={hint(t('queue_limit_hint'))}
              error={errors['queue_limit']}
            >
              {(control) => <Input {...control} {...text('waiting')} />}
            </Field>
            {values.waiting.trim() === '' ? null : (
              <Field label={t('queue_overflow')} error={errors['queue_overflow']}>
                {(control) => (
                  <Select
                    {...control}
                    value={values.overflow}
                    disabled={!isOwner}
                    choices={[
                      { value: 'refuse', label: t('refuse') },
                      { value: 'drop_oldest', label: t('drop_oldest') },
                    ]}
                    onChange={(overflow) => onChange({ overflow })}
                  />
                )}
              </Field>
            )}
          </>
        ) : null}
      </div>
    </fieldset>
  );
}

const LOOK_MS = 3_000;

function QueueNow({ id }: { id: string }) {
  const t = useWorkflowTexts();
  const { data } = useEndpoint(getWorkflowQueue, { params: { id } }, { refetchInterval: LOOK_MS });
  return (
    <p className="text-sm text-soft">
      {data ? t('queue_now', { under_way: data.places_taken, waiting: data.waiting }) : t('queue_reading')}
    </p>
  );
}
