import { type PublishGate, updateWorkflow, type Workflow } from '@millrace/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslations } from 'use-intl';
import { usePublishGate, useSetPublishGate } from '../../data/publish-gate.ts';
import {
  NO_WORKFLOW,
  useUpdateWorkflow,
  useWorkflow,
  useWorkflows,
  workflowUsesQuery,
} from '../../data/workflows.ts';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { DescriptionField, NameField } from '../../ui/forms/name-fields.tsx';
import { numberOrNone } from '../../ui/forms/number-or-none.ts';
import { Picker } from '../../ui/forms/picker.tsx';
import { Switch } from '../../ui/forms/toggles.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { GateFields, type GateValue, gateBody, toGateValues } from './gate-fields.tsx';
import { LimitsFields, type LimitValues, limitsBody, toLimitValues } from './limits-fields.tsx';
import { useWorkflowTexts } from './texts/use-workflow-texts.ts';

interface SettingsDialogProps {
  id: string;
  onClose: () => void;
}

/** Settings apart from the graph: name, description, limits, what runs on failure, and who calls it. */
export function SettingsDialog({ id, onClose }: SettingsDialogProps) {
  const t = useWorkflowTexts();
  const query = useWorkflow(id);
  const gate = usePublishGate(query.data ?? { id, updated_at: '' }, query.data !== undefined);
  if (query.data && gate.data)
    return <SettingsForm workflow={query.data} gate={gate.data} onClose={onClose} />;
  const failed = [query, gate].find(({ isLoadingError }) => isLoadingError);
  return (
    <Dialog open onOpenChange={onClose} title={t('settings')}>
      {failed?.error ? (
        <LoadFailed error={failed.error} onRetry={() => void failed.refetch()} />
      ) : (
        <SkeletonRows rows={5} />
      )}
    </Dialog>
  );
}

interface Values extends LimitValues {
  name: string;
  description: string;
  seconds: string;
  error_workflow_id: string;
  strict_references: boolean;
  gate: GateValue[];
}

/** A collaborator sends what they may change and nothing else (§5.8). */
const buildBody = (
  { name, description, seconds, error_workflow_id, strict_references, gate: _gate, ...limits }: Values,
  isOwner: boolean,
) => ({
  name,
  description,
  ...(isOwner
    ? {
        workflow_timeout_seconds: numberOrNone(seconds),
        strict_references,
        ...limitsBody(limits),
        error_workflow_id: error_workflow_id === '' ? NO_WORKFLOW : error_workflow_id,
      }
    : {}),
});

const isSame = (a: readonly GateValue[], b: readonly GateValue[]) =>
  JSON.stringify(gateBody(a)) === JSON.stringify(gateBody(b));

interface SettingsFormProps {
  workflow: Workflow;
  gate: PublishGate;
  onClose: () => void;
}

function SettingsForm({ workflow, gate, onClose }: SettingsFormProps) {
  const ui = useTranslations('ui');
  const t = useWorkflowTexts();
  const save = useUpdateWorkflow();
  const setGate = useSetPublishGate(workflow.id);
  const isOwner = workflow.access === 'owner';
  const form = useForm<Values>({
    initial: {
      name: workflow.name,
      description: workflow.description ?? '',
      seconds: String(workflow.workflow_timeout_seconds ?? ''),
      ...toLimitValues(workflow),
      error_workflow_id: workflow.error_workflow_id ?? '',
      strict_references: workflow.strict_references,
      gate: toGateValues(gate),
    },
    schema: updateWorkflow.body,
    toBody: (values) => buildBody(values, isOwner),
    submit: async (values) => {
      // First: the gate is what may be refused, and then the settings are not saved either.
      if (isOwner && !isSame(values.gate, toGateValues(gate)))
        await setGate.mutateAsync(gateBody(values.gate));
      await save.mutateAsync({ id: workflow.id, ...buildBody(values, isOwner) });
      onClose();
      toast.done(ui('saved'));
    },
  });
  const { values, errors, change } = form;
  return (
    <FormDialog form={form} title={t('settings')} onClose={onClose}>
      <NameField form={form} />
      <DescriptionField form={form} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label={t('time_limit')}
          optional={isOwner}
          hint={isOwner ? t('time_limit_hint') : t('owner_only', { name: workflow.owner_name })}
          error={errors['workflow_timeout_seconds']}
        >
          {(control) => (
            <Input
              {...control}
              inputMode="numeric"
              disabled={!isOwner}
              value={values.seconds}
              onChange={(event) => change({ seconds: event.target.value })}
            />
          )}
        </Field>
        <ErrorWorkflow
          workflow={workflow}
          value={values.error_workflow_id}
          error={errors['error_workflow_id']}
          onChange={(error_workflow_id) => change({ error_workflow_id })}
        />
      </div>
      <Switch
        label={t('strict_references')}
        hint={isOwner ? t('strict_references_hint') : t('owner_only', { name: workflow.owner_name })}
        disabled={!isOwner}
        checked={values.strict_references}
        onChange={(strict_references) => change({ strict_references })}
      />
      <LimitsFields workflow={workflow} values={values} errors={errors} onChange={change} />
      <GateFields
        workflow={workflow}
        values={values.gate}
        errors={errors}
        onChange={(gate) => change({ gate })}
      />
      <Uses id={workflow.id} />
    </FormDialog>
  );
}

interface ErrorWorkflowProps {
  workflow: Workflow;
  value: string;
  error: string | undefined;
  onChange: (id: string) => void;
}

function ErrorWorkflow({ workflow, value, error, onChange }: ErrorWorkflowProps) {
  const t = useWorkflowTexts();
  const { data } = useWorkflows();
  const choices = useMemo(
    () =>
      (data ?? [])
        .filter(({ id, scheduled_for_deletion }) => id !== workflow.id && scheduled_for_deletion === null)
        .map(({ id, name }) => ({ value: id, label: name })),
    [data, workflow.id],
  );
  return (
    <Field label={t('error_workflow')} hint={t('error_workflow_hint')} error={error}>
      {(control) => (
        <Picker
          {...control}
          value={value}
          none={t('no_error_workflow')}
          choices={choices}
          disabled={workflow.access !== 'owner'}
          onChange={onChange}
        />
      )}
    </Field>
  );
}

/** Which workflows a change of this one reaches. */
function Uses({ id }: { id: string }) {
  const t = useWorkflowTexts();
  const { data } = useQuery(workflowUsesQuery(id));
  if (!data) return <SkeletonRows rows={1} />;
  const callers = new Map(data.map((use) => [use.workflow_id, use.workflow_name]));
  return (
    <section>
      <h3 className="pb-1 text-sm font-medium">{t('called_by')}</h3>
      {callers.size === 0 ? (
        <p className="text-sm text-faint">{t('called_by_none')}</p>
      ) : (
        <ul className="flex flex-wrap gap-x-4 gap-y-1">
          {[...callers].map(([workflow_id, name]) => (
            <li key={workflow_id}>
              <Link
                to="/workflows/$id"
                params={{ id: workflow_id }}
                className="text-accent-text underline-offset-2 hover:underline"
              >
                {name}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
