import {
  type AuthType,
  clearResponseCache,
  type HttpMethod,
  type WebhookBodyMode,
  type Workflow,
} from '@millrace/contracts';
import { useMutation } from '@tanstack/react-query';
import { Eraser, Lock } from 'lucide-react';
import { api } from '../../../data/api.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { Field } from '../../../ui/forms/field.tsx';
import { Input, PasswordInput } from '../../../ui/forms/input.tsx';
import { type Choice, Select } from '../../../ui/forms/select.tsx';
import { showFailure, toast } from '../../../ui/overlays/toast.ts';
import type { SettingsChange } from './settings-change.ts';
import { useEndpointTexts } from './texts/use-endpoint-texts.ts';

const METHODS: readonly HttpMethod[] = ['GET', 'POST', 'PUT', 'DELETE'];
const AUTH_TYPES: readonly AuthType[] = ['anonymous', 'jwt', 'header_auth'];
const BODY_MODES: readonly WebhookBodyMode[] = ['defined', 'generic'];

interface SettingsTabProps {
  workflow: Workflow;
  onChange: (change: SettingsChange) => void;
}

interface ChoiceFieldProps<Value extends string> {
  label: string;
  value: Value;
  choices: readonly Choice<Value>[];
  disabled: boolean;
  onChange: (value: Value) => void;
}

function ChoiceField<Value extends string>({ label, ...select }: ChoiceFieldProps<Value>) {
  return <Field label={label}>{(control) => <Select {...control} {...select} />}</Field>;
}

/** Text that is saved when the field is left. */
const onLeave =
  (value: string | number | null, save: (text: string) => void) =>
  (event: React.FocusEvent<HTMLInputElement>) => {
    if (event.target.value !== String(value ?? '')) save(event.target.value);
  };

const wholeNumber = (text: string): number | null =>
  text.trim() === '' ? null : Math.max(0, Math.trunc(Number(text) || 0));

const isLocked = ({ access }: Workflow): boolean => access !== 'owner';

export function SettingsTab({ workflow, onChange }: SettingsTabProps) {
  const t = useEndpointTexts();
  return (
    <div className="flex flex-col gap-4 p-4">
      {isLocked(workflow) ? (
        <p className="flex items-center gap-2 text-sm text-soft">
          <Lock className="size-4" aria-hidden />
          {t('owner_only', { owner: workflow.owner_name })}
        </p>
      ) : null}
      <CallSettings workflow={workflow} onChange={onChange} />
      {workflow.auth_type === 'anonymous' ? (
        <p className="text-sm text-warning">{t('anonymous_warning')}</p>
      ) : null}
      {workflow.auth_type === 'header_auth' ? (
        <HeaderSettings workflow={workflow} onChange={onChange} />
      ) : null}
      <div className="grid gap-3 sm:grid-cols-3">
        <NumberSetting name="cache_ttl_seconds" workflow={workflow} onChange={onChange} />
        <NumberSetting name="rate_limit_requests" workflow={workflow} onChange={onChange} />
        <NumberSetting name="rate_limit_window_seconds" workflow={workflow} onChange={onChange} />
      </div>
      {workflow.cache_ttl_seconds ? <ClearCache workflow_id={workflow.id} /> : null}
    </div>
  );
}

/** How the endpoint is called. */
function CallSettings({ workflow, onChange }: SettingsTabProps) {
  const t = useEndpointTexts();
  const disabled = isLocked(workflow);
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      <ChoiceField
        label={t('http_method')}
        disabled={disabled}
        value={workflow.http_method}
        choices={METHODS.map((value) => ({ value, label: value }))}
        onChange={(http_method) => onChange({ http_method })}
      />
      <ChoiceField
        label={t('auth_type')}
        disabled={disabled}
        value={workflow.auth_type}
        choices={AUTH_TYPES.map((value) => ({ value, label: t(`auth.${value}`) }))}
        onChange={(auth_type) => onChange({ auth_type })}
      />
      <ChoiceField
        label={t('webhook_body_mode')}
        disabled={disabled}
        value={workflow.webhook_body_mode}
        choices={BODY_MODES.map((value) => ({ value, label: t(`body_mode.${value}`) }))}
        onChange={(webhook_body_mode) => onChange({ webhook_body_mode })}
      />
    </div>
  );
}

/** The header by which callers are known. */
function HeaderSettings({ workflow, onChange }: SettingsTabProps) {
  const t = useEndpointTexts();
  const { auth_header_key, auth_header_value } = workflow;
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field label={t('auth_header_key')}>
        {(control) => (
          <Input
            {...control}
            mono
            disabled={isLocked(workflow)}
            defaultValue={auth_header_key ?? ''}
            onBlur={onLeave(auth_header_key, (text) => onChange({ auth_header_key: text }))}
          />
        )}
      </Field>
      <Field label={t('auth_header_value')}>
        {(control) => (
          <PasswordInput
            {...control}
            disabled={isLocked(workflow)}
            defaultValue={auth_header_value ?? ''}
            onBlur={onLeave(auth_header_value, (text) => onChange({ auth_header_value: text }))}
          />
        )}
      </Field>
    </div>
  );
}

interface NumberSettingProps extends SettingsTabProps {
  name: 'cache_ttl_seconds' | 'rate_limit_requests' | 'rate_limit_window_seconds';
}

/** A number that is off while nothing is entered. */
function NumberSetting({ name, workflow, onChange }: NumberSettingProps) {
  const t = useEndpointTexts();
  return (
    <Field label={t(name)} hint={name === 'cache_ttl_seconds' ? t('cache_hint') : undefined}>
      {(control) => (
        <Input
          {...control}
          key={String(workflow[name])}
          type="number"
          min={0}
          disabled={isLocked(workflow)}
          placeholder={t('off')}
          defaultValue={workflow[name] ?? ''}
          onBlur={onLeave(workflow[name], (text) => onChange({ [name]: wholeNumber(text) }))}
        />
      )}
    </Field>
  );
}

function ClearCache({ workflow_id }: { workflow_id: string }) {
  const t = useEndpointTexts();
  const clear = useMutation({
    mutationFn: () => api(clearResponseCache, { params: { id: workflow_id } }),
    onSuccess: () => toast.done(t('cache_cleared')),
    onError: showFailure,
  });
  return (
    <Button size="small" busy={clear.isPending} onClick={() => clear.mutate()} className="self-start">
      <Eraser aria-hidden />
      {t('clear_cache')}
    </Button>
  );
}
