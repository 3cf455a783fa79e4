import { type Alert, type AlertKind, alertKind, createAlert } from '@millrace/contracts';
import { SECOND_MS } from '@millrace/engine/units';
import { useMemo } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { type AlertBody, useSaveAlert } from '../../../data/alerts.ts';
import { useWorkflows } from '../../../data/workflows.ts';
import { Field } from '../../../ui/forms/field.tsx';
import { Input } from '../../../ui/forms/input.tsx';
import { NameField } from '../../../ui/forms/name-fields.tsx';
import { Picker } from '../../../ui/forms/picker.tsx';
import { Select } from '../../../ui/forms/select.tsx';
import { Checkbox, Switch } from '../../../ui/forms/toggles.tsx';
import { useForm } from '../../../ui/forms/use-form.ts';
import { FormDialog } from '../../../ui/overlays/form-dialog.tsx';
import { toast } from '../../../ui/overlays/toast.ts';
import { useTriggersTexts } from '../texts/use-triggers-texts.ts';

const DAYS = [1, 2, 3, 4, 5, 6, 7] as const;
/** 2024-01-01 was a Monday. */
const toDate = (day: number) => new Date(Date.UTC(2024, 0, day));

interface Values {
  name: string;
  workflow_id: string;
  target_workflow_id: string;
  kind: AlertKind;
  window_minutes: string;
  /** Percent, or seconds. */
  threshold: string;
  least_runs: string;
  days: readonly number[];
  from: string;
  until: string;
  time_zone: string;
  repeats: boolean;
  active: boolean;
}

function toValues(alert: Alert | undefined): Values {
  const inSeconds = alert?.kind === 'duration' ? SECOND_MS : 1;
  return {
    name: alert?.name ?? '',
    workflow_id: alert?.workflow_id ?? '',
    target_workflow_id: alert?.target_workflow_id ?? '',
    kind: alert?.kind ?? 'error_rate',
    window_minutes: String(alert?.window_minutes ?? 60),
    threshold: String((alert?.threshold ?? 10) / inSeconds),
    least_runs: String(alert?.least_runs ?? 5),
    days: alert?.days ?? DAYS,
    from: alert?.from ?? '00:00',
    until: alert?.until ?? '24:00',
    time_zone: alert?.time_zone ?? '',
    repeats: alert?.repeats ?? false,
    active: alert?.active ?? true,
  };
}

export function buildBody({ kind, threshold, time_zone, ...values }: Values): AlertBody {
  const unit = kind === 'duration' ? SECOND_MS : 1;
  return {
    ...values,
    kind,
    window_minutes: Number(values.window_minutes),
    least_runs: Number(values.least_runs),
    threshold: kind === 'silence' ? null : Number(threshold) * unit,
    days: [...values.days],
    time_zone: time_zone.trim() === '' ? null : time_zone.trim(),
  };
}

type Form = ReturnType<typeof useForm<Values>>;

function WorkflowField({ form, name }: { form: Form; name: 'workflow_id' | 'target_workflow_id' }) {
  const t = useTriggersTexts();
  const { data: workflows } = useWorkflows();
  const choices = useMemo(
    () => (workflows ?? []).map((workflow) => ({ value: workflow.id, label: workflow.name })),
    [workflows],
  );
  return (
    <Field label={t(`alert_${name}`)} hint={t(`alert_${name}_hint`)} error={form.errors[name]}>
      {(control) => (
        <Picker
          {...control}
          value={form.values[name]}
          none={t('alert_choose')}
          choices={choices}
          onChange={(id) => form.change({ [name]: id })}
        />
      )}
    </Field>
  );
}

type TextName = 'window_minutes' | 'threshold' | 'least_runs' | 'from' | 'until' | 'time_zone';

interface TextFieldProps {
  form: Form;
  name: TextName;
  label: string;
  numeric?: boolean;
  optional?: boolean;
}

function TextField({ form, name, label, numeric = false, optional = false }: TextFieldProps) {
  return (
    <Field label={label} optional={optional} error={form.errors[name]}>
      {(control) => (
        <Input
          {...control}
          {...(numeric ? { inputMode: 'decimal' } : {})}
          value={form.values[name]}
          onChange={(event) => form.change({ [name]: event.target.value })}
        />
      )}
    </Field>
  );
}

function DaysField({ form }: { form: Form }) {
  const t = useTriggersTexts();
  const format = useFormatter();
  const { days } = form.values;
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 text-sm font-medium">{t('alert_days')}</legend>
      <div className="flex flex-wrap gap-x-4 gap-y-1.5">
        {DAYS.map((day) => (
          <Checkbox
            key={day}
            checked={days.includes(day)}
            label={format.dateTime(toDate(day), { weekday: 'short', timeZone: 'UTC' })}
            onChange={(checked) =>
              form.change({ days: checked ? [...days, day] : days.filter((other) => other !== day) })
            }
          />
        ))}
      </div>
      {form.errors['days'] ? (
        <p role="alert" className="text-sm text-danger">
          {form.errors['days']}
        </p>
      ) : null}
    </fieldset>
  );
}

/** The settings of an alert: what it checks, when, and what it starts. */
export function AlertDialog({ alert, onClose }: { alert?: Alert | undefined; onClose: () => void }) {
  const t = useTriggersTexts();
  const ui = useTranslations('ui');
  const { mutateAsync: save } = useSaveAlert();
  const form = useForm<Values>({
    initial: toValues(alert),
    schema: createAlert.body,
    toBody: buildBody,
    submit: async (values) => {
      await save({ id: alert?.id, body: buildBody(values) });
      onClose();
      toast.done(t('alert_saved', { name: values.name }));
    },
  });
  const { kind, repeats, active } = form.values;
  return (
    <FormDialog
      form={form}
      title={alert ? t('alert_edit') : t('alert_new')}
      description={t('alert_hint')}
      action={ui('save')}
      onClose={onClose}
    >
      <NameField form={form} />
      <WorkflowField form={form} name="workflow_id" />
      <Field label={t('alert_kind')} hint={t(`alert_${kind}_hint`)}>
        {(control) => (
          <Select<AlertKind>
            {...control}
            value={kind}
            choices={alertKind.options.map((value) => ({ value, label: t(`alert_${value}`) }))}
            onChange={(value) => form.change({ kind: value })}
          />
        )}
      </Field>
      <div className="grid gap-3 sm:grid-cols-3">
        <TextField form={form} name="window_minutes" label={t('alert_window')} numeric />
        {kind === 'silence' ? null : (
          <>
            <TextField form={form} name="threshold" label={t(`alert_threshold_${kind}`)} numeric />
            <TextField form={form} name="least_runs" label={t('alert_least_runs')} numeric />
          </>
        )}
      </div>
      <DaysField form={form} />
      <div className="grid gap-3 sm:grid-cols-3">
        <TextField form={form} name="from" label={t('alert_from')} />
        <TextField form={form} name="until" label={t('alert_until')} />
        <TextField form={form} name="time_zone" label={t('alert_time_zone')} optional />
      </div>
      <WorkflowField form={form} name="target_workflow_id" />
      <Switch
        checked={repeats}
        label={t('alert_repeats')}
        hint={t('alert_repeats_hint')}
        onChange={(value) => form.change({ repeats: value })}
      />
      <Switch
        checked={active}
        label={t('alert_active')}
        onChange={(value) => form.change({ active: value })}
      />
    </FormDialog>
  );
}
