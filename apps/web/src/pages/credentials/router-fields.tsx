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
import { useCredentialsTexts } from './texts/use-credentials-texts.ts';

export type RouterValues = ModelRouterConfig;
type Option = RouterValues['options'][number];

const NEW_OPTION: Option = { label: '', credential_id: '', model: '', criteria: '', is_default: false };

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

function ModelInput({
  credential,
  value,
  ...rest
}: {
  credential: string;
  value: string;
  onChange: (value: string) => void;
  label: string;
  error: string | undefined;
}) {
  const { data: models = [] } = useCredentialModels(credential === '' ? undefined : credential);
  const list = useId();
  return (
    <Field label={rest.label} error={rest.error}>
      {(control) => (
        <>
          <Input
            {...control}
            list={list}
            value={value}
            onChange={(event) => rest.onChange(event.target.value)}
          />
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
const choicesOf = (list: readonly Credential[]) => list.map(({ id, name }) => ({ value: id, label: name }));

/** §2.7: a model router holds a decision model and a list of options, one of which may be the fallback. */
export function RouterFields({ values, errors, credentials, onChange }: RouterFieldsProps) {
  const t = useCredentialsTexts();
  const models = credentials.filter(isModel);
  const deciders = credentials.filter((item) => item.type === 'decision' || isModel(item));
  const change = (part: Partial<RouterValues>) => onChange({ ...values, ...part });
  const changeOption = (at: number, part: Partial<Option>) =>
    change({
      options: values.options.map((option, index) => (index === at ? { ...option, ...part } : option)),
    });
  const fallback = values.options.findIndex((option) => option.is_default);
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={t('decision_credential')} error={errors['decision_credential_id']}>
          {(control) => (
            <Select
              {...control}
              placeholder={t('choose')}
              value={values.decision_credential_id === '' ? undefined : values.decision_credential_id}
              choices={choicesOf(deciders)}
              onChange={(decision_credential_id) => change({ decision_credential_id })}
            />
          )}
        </Field>
        <ModelInput
          label={t('decision_model')}
          credential={values.decision_credential_id}
          value={values.decision_model}
          error={errors['decision_model']}
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
        value={String(fallback)}
        onValueChange={(chosen) =>
          change({
            options: values.options.map((option, index) => ({
              ...option,
              is_default: String(index) === chosen,
            })),
          })
        }
        className="flex flex-col gap-3"
      >
        {values.options.map((option, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- an option has no identity but its place
          <fieldset key={index} className="rounded-l border border-line p-3">
            <legend className="flex items-center gap-2 px-1 text-sm font-medium">
              {t('option', { number: index + 1 })}
              <IconButton
                size="small"
                label={t('remove_option', { number: index + 1 })}
                icon={<Trash2 aria-hidden />}
                disabled={values.options.length <= 2}
                onClick={() => change({ options: values.options.filter((_, at) => at !== index) })}
              />
            </legend>
            <div className="grid gap-3 sm:grid-cols-3">
              <Field label={t('option_label')} error={errors[`options.${index}.label`]}>
                {(control) => (
                  <Input
                    {...control}
                    value={option.label}
                    onChange={(event) => changeOption(index, { label: event.target.value })}
                  />
                )}
              </Field>
              <Field label={t('model_credential')} error={errors[`options.${index}.credential_id`]}>
                {(control) => (
                  <Select
                    {...control}
                    placeholder={t('choose')}
                    value={option.credential_id === '' ? undefined : option.credential_id}
                    choices={choicesOf(models)}
                    onChange={(credential_id) => changeOption(index, { credential_id })}
                  />
                )}
              </Field>
              <ModelInput
                label={t('model')}
                credential={option.credential_id}
                value={option.model}
                error={errors[`options.${index}.model`]}
                onChange={(model) => changeOption(index, { model })}
              />
            </div>
            <Field label={t('criteria')} optional className="mt-3">
              {(control) => (
                <TextArea
                  {...control}
                  rows={2}
                  value={option.criteria}
                  onChange={(event) => changeOption(index, { criteria: event.target.value })}
                />
              )}
            </Field>
            <span className="mt-2.5 flex items-center gap-2">
              <RadioGroup.Item
                value={String(index)}
                id={`fallback-${index}`}
                className="size-4 rounded-full border border-control-line bg-surface data-[state=checked]:border-[5px] data-[state=checked]:border-accent"
              />
              <label htmlFor={`fallback-${index}`}>{t('is_fallback')}</label>
            </span>
          </fieldset>
        ))}
      </RadioGroup.Root>
      {errors['options'] ? <p className="text-sm text-danger">{errors['options']}</p> : null}
      <Button
        size="small"
        className="self-start"
        onClick={() => change({ options: [...values.options, NEW_OPTION] })}
      >
        <Plus aria-hidden />
        {t('add_option')}
      </Button>
    </>
  );
}
