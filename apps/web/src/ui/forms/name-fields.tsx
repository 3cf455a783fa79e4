import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { Field } from './field.tsx';
import { Input, type InputProps, TextArea } from './input.tsx';
import type { FieldErrors } from './use-form.ts';

/** The part of a form that a field of it needs: the values that it shows. */
export interface FormWith<Values> {
  values: Values;
  errors: FieldErrors;
  change: (part: Values) => void;
}

interface NameFieldProps extends Omit<InputProps, 'form' | 'value' | 'onChange'> {
  form: FormWith<{ name: string }>;
  hint?: ReactNode;
}

/** The name of a thing or a person; the first field of a dialog. */
export function NameField({ form, hint, ...rest }: NameFieldProps) {
  const t = useTranslations('ui');
  return (
    <Field label={t('name')} hint={hint} error={form.errors['name']}>
      {(control) => (
        <Input
          {...control}
          autoFocus
          autoComplete="off"
          {...rest}
          value={form.values.name}
          onChange={(event) => form.change({ name: event.target.value })}
        />
      )}
    </Field>
  );
}

export function DescriptionField({ form }: { form: FormWith<{ description: string }> }) {
  const t = useTranslations('ui');
  return (
    <Field label={t('description')} optional error={form.errors['description']}>
      {(control) => (
        <TextArea
          {...control}
          rows={2}
          value={form.values.description}
          onChange={(event) => form.change({ description: event.target.value })}
        />
      )}
    </Field>
  );
}
