import { type CredentialField, type CredentialType, isAsked } from '@millrace/engine/credential';
import { useTranslations } from 'use-intl';
import { Button } from '../../ui/actions/button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Input, PasswordInput } from '../../ui/forms/input.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { Switch } from '../../ui/forms/toggles.tsx';
import {
  type ConfigValues,
  initialValues,
  keepsStored,
  needsRemoval,
  type StoredConfig,
} from './config-form.ts';
import { useCredentialTexts } from './texts/use-credential-texts.ts';

interface ConfigFieldsProps {
  type: CredentialType;
  values: ConfigValues;
  errors: Readonly<Record<string, string | undefined>>;
  /** Undefined for a new one. */
  stored: StoredConfig | undefined;
  onChange: (name: string, value: unknown) => void;
}

/** The form of a credential type, drawn from its definition. */
export function ConfigFields({ type, values, errors, stored, onChange }: ConfigFieldsProps) {
  const initial = initialValues(type, stored);
  return type.fields
    .filter((field) => !field.hidden && isAsked(type, field, values))
    .map((field) => (
      <ConfigField
        key={field.name}
        field={field}
        value={values[field.name]}
        error={errors[field.name]}
        initial={initial[field.name]}
        isKept={keepsStored(type, field, stored)}
        isRemovable={needsRemoval(type, field, stored)}
        onChange={(value) => onChange(field.name, value)}
      />
    ));
}

/** How the contract words the one problem that every form has; forms say it in their own words. */
const REQUIRED = 'is required';

interface ConfigFieldProps {
  field: CredentialField;
  value: unknown;
  error: string | undefined;
  /** The value that the form starts with. */
  initial: unknown;
  isKept: boolean;
  isRemovable: boolean;
  onChange: (value: unknown) => void;
}

function ConfigField({ field, value, error, onChange, ...stored }: ConfigFieldProps) {
  const t = useCredentialTexts();
  const form = useTranslations('form');
  if (field.kind === 'boolean') {
    return <Switch label={field.label} hint={field.help} checked={value === true} onChange={onChange} />;
  }
  const { initial, isKept, isRemovable } = stored;
  const isRemoved = isRemovable && value === null;
  const text =
    typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
  return (
    <Field
      label={field.label}
      optional={!field.required && field.default === undefined}
      hint={field.help ?? undefined}
      error={error === REQUIRED ? form('required') : error}
      aside={
        isRemovable ? (
          <Button tone="quiet" size="small" onClick={() => onChange(isRemoved ? initial : null)}>
            {isRemoved
              ? t('keep_secret', { field: field.label })
              : t('remove_secret', { field: field.label })}
          </Button>
        ) : undefined
      }
    >
      {(control) => {
        const shared = {
          ...control,
          value: text,
          autoComplete: 'off',
          disabled: isRemoved,
          ...(isKept ? { placeholder: isRemoved ? t('removed_on_save') : t('kept') } : {}),
        };
        switch (field.kind) {
          case 'secret':
            return (
              <PasswordInput
                {...shared}
                autoComplete="new-password"
                mono
                onChange={(event) => onChange(event.target.value)}
              />
            );
          case 'choice':
            return (
              <Select
                {...control}
                value={text}
                choices={(field.options ?? []).map((option) => ({ value: option, label: option }))}
                onChange={onChange}
              />
            );
          case 'integer':
            return (
              <Input {...shared} inputMode="numeric" onChange={(event) => onChange(event.target.value)} />
            );
          case 'url':
            return (
              <Input
                {...shared}
                type="url"
                placeholder={shared.placeholder ?? 'https://'}
                onChange={(event) => onChange(event.target.value)}
              />
            );
          case 'boolean':
            return null;
          case 'text':
          case 'list':
            return <Input {...shared} onChange={(event) => onChange(event.target.value)} />;
          default:
            return field.kind satisfies never;
        }
      }}
    </Field>
  );
}
