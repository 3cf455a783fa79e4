import type { Credential } from '@millrace/contracts';
import type { ModelRouterConfig } from '@millrace/nodes/credentials';
import { credentialType } from '@millrace/nodes/credentials';
import { Plus, Trash2 } from 'lucide-react';
import { RadioGroup } from 'radix-ui';
import { useId } from 'react';
import { useCredentialModels } from '../../data/credentials.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Input, TextArea } from '../../ui/forms/input.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { useCredentialTexts } from './texts/use-credential-texts.ts';

export type RouterValues = ModelRouterConfig;
type Option = RouterValues['options'][number];

const NEW_OPTION: Option = { label: '', credential_id: '', model: '', criteria: '', is_default: false };

const MIN_OPTIONS = 2;

export const EMPTY_ROUTER: RouterValues = {
  decision_credential_id: '',
  decision_model: '',
  routing_instructions: '',
  options: [NEW_OPTION, NEW_OPTION],
  timeout_seconds: 10,
};

interface RouterFieldsProps {
  values: RouterValues;
  errors: Readonly<Record<string, string | undefined>>;
  credentials: readonly Credential[];
  onChange: (values: RouterValues) => void;
}

interface CredentialSelectProps {
  label: string;
  error: string | undefined;
  credentials: readonly Credential[];
  /** Empty: none is chosen. */
  value: string;
  onChange: (credential_id: string) => void;
}

function CredentialSelect({ label, error, credentials, value, onChange }: CredentialSelectProps) {
  const t = useCredentialTexts();
  return (
    <Field label={label} error={error}>
      {(control) => (
        <Select
          {...control}
          placeholder={t('choose')}
          value={value === '' ? undefined : value}
          choices={credentials.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={onChange}
        />
      )}
    </Field>
  );
}

interface ModelInputProps {
  label: string;
  error: string | undefined;
  /** The credential whose models are offered. */
  credential_id: string;
  value: string;
  onChange: (model: string) => void;
}

function ModelInput({ label, error, credential_id, value, onChange }: ModelInputProps) {
  const { data: models = [] } = useCredentialModels(credential_id === '' ? undefined : credential_id);
  const list = useId();
  return (
    <Field label={label} error={error}>
      {(control) => (
        <>
          <Input {...control} list={list} value={value} onChange={(event) => onChange(event.target.value)} />
          <datalist id={list}>
            {models.map((model) => (
              <option key={model.id} value={model.id}>
                {model.name}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

const isModel = ({ type }: Credential) => type !== 'model_router' && credentialType(type)?.model === true;

interface RouterOptionProps {
  option: Option;
  at: number;
  models: readonly Credential[];
  errors: RouterFieldsProps['errors'];
  onChange: (part: Partial<Option>) => void;
  /** Absent while no option can be spared. */
  onRemove: (() => void) | undefined;
}

/** One model that the router may choose; stands in the radio group that says which one is the fallback. */
function RouterOption({ option, at, models, errors, onChange, onRemove }: RouterOptionProps) {
  const t = useCredentialTexts();
  return (
    <fieldset className="rounded-l border border-line p-3">
      <legend className="flex items-center gap-2 px-1 text-sm font-medium">
        {t('option', { number: at + 1 })}
        <IconButton
          size="small"
          label={t('remove_option', { number: at + 1 })}
          icon={<Trash2 aria-hidden />}
          disabled={!onRemove}
          onClick={onRemove}
        />
      </legend>
      <div className="grid gap-3 sm:grid-cols-3">
        <Field label={t('option_label')} error={errors[`options.${at}.label`]}>
          {(control) => (
            <Input
              {...control}
              value={option.label}
              onChange={(event) => onChange({ label: event.target.value })}
            />
          )}
        </Field>
        <CredentialSelect
          label={t('model_credential')}
          error={errors[`options.${at}.credential_id`]}
          credentials={models}
          value={option.credential_id}
          onChange={(credential_id) => onChange({ credential_id })}
        />
        <ModelInput
          label={t('model')}
          error={errors[`options.${at}.model`]}
          credential_id={option.credential_id}
          value={option.model}
          onChange={(model) => onChange({ model })}
        />
      </div>
      <Field label={t('criteria')} optional className="mt-3">
        {(control) => (
          <TextArea
            {...control}
            rows={2}
            value={option.criteria}
            onChange={(event) => onChange({ criteria: event.target.value })}
          />
        )}
      </Field>
      <span className="mt-2.5 flex items-center gap-2">
        <RadioGroup.Item
          value={String(at)}
          id={`fallback-${at}`}
          className="size-4 rounded-full border border-control-line bg-surface data-[state=checked]:border-[5px] data-[state=checked]:border-accent"
        />
        <label htmlFor={`fallback-${at}`}>{t('is_fallback')}</label>
      </span>
    </fieldset>
  );
}

/** §2.7: a model router holds a decision model and a list of options, one of which may be the fallback. */
export function RouterFields({ values, errors, credentials, onChange }: RouterFieldsProps) {
  const t = useCredentialTexts();
  const { options } = values;
  const models = credentials.filter(isModel);
  const deciders = credentials.filter((item) => item.type === 'decision' || isModel(item));
  const change = (part: Partial<RouterValues>) => onChange({ ...values, ...part });
  const changeOption = (at: number, part: Partial<Option>) =>
    change({ options: options.map((option, index) => (index === at ? { ...option, ...part } : option)) });
  const removeOption = (at: number) => change({ options: options.filter((_, index) => index !== at) });
  const chooseFallback = (at: string) =>
    change({ options: options.map((option, index) => ({ ...option, is_default: String(index) === at })) });
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <CredentialSelect
          label={t('decision_credential')}
          error={errors['decision_credential_id']}
          credentials={deciders}
          value={values.decision_credential_id}
          onChange={(decision_credential_id) => change({ decision_credential_id })}
        />
        <ModelInput
          label={t('decision_model')}
          error={errors['decision_model']}
          credential_id={values.decision_credential_id}
          value={values.decision_model}
          onChange={(decision_model) => change({ decision_model })}
        />
      </div>
      <Field label={t('routing_instructions')} optional>
        {(control) => (
          <TextArea
            {...control}
            rows={2}
            value={values.routing_instructions}
            onChange={(event) => change({ routing_instructions: event.target.value })}
          />
        )}
      </Field>
      <RadioGroup.Root
        aria-label={t('fallback')}
        value={String(options.findIndex((option) => option.is_default))}
        onValueChange={chooseFallback}
        className="flex flex-col gap-3"
      >
        {options.map((option, at) => (
          <RouterOption
            // oxlint-disable-next-line react/no-array-index-key -- an option has no identity but its place
            key={at}
            option={option}
            at={at}
            models={models}
            errors={errors}
            onChange={(part) => changeOption(at, part)}
            onRemove={options.length > MIN_OPTIONS ? () => removeOption(at) : undefined}
          />
        ))}
      </RadioGroup.Root>
      {errors['options'] ? <p className="text-sm text-danger">{errors['options']}</p> : null}
      <Button
        size="small"
        className="self-start"
        onClick={() => change({ options: [...options, NEW_OPTION] })}
      >
        <Plus aria-hidden />
        {t('add_option')}
      </Button>
    </>
  );
}
