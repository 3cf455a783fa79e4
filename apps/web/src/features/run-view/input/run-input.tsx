import type { Json } from '@millrace/engine';
import type { InputField } from '@millrace/engine/input-fields';
import { Suspense } from 'react';
import { useStore } from 'zustand';
import { lazy } from '../../../lib/code/lazy.ts';
import { toText } from '../../../lib/json/to-text.ts';
import { Skeleton } from '../../../ui/display/skeleton.tsx';
import { Field } from '../../../ui/forms/field.tsx';
import { Input, TextArea } from '../../../ui/forms/input.tsx';
import { Segmented } from '../../../ui/forms/toggles.tsx';
import { useRunViewTexts } from '../texts/use-run-view-texts.ts';
import { readField } from './input-form.ts';
import type { InputFormFieldProps } from './input-form-field.tsx';
import type { InputMode, RunFormStore } from './run-form.ts';

/** Loaded on demand: most forms have no lists and switches. */
const ChosenField = lazy(() =>
  import('./input-form-field.tsx').then((module) => ({ default: module.ChosenField })),
);

interface RunInputProps {
  form: RunFormStore;
  /** Without any, what is given is JSON. */
  fields: readonly InputField[];
  /** The value of the form now; undefined while its JSON cannot be read. */
  input: Json | undefined;
}

/** The input of a run: a field for each that the workflow declares, or JSON. */
export function RunInput({ form, fields, input }: RunInputProps) {
  const t = useRunViewTexts();
  const { mode, typed, raw } = useStore(form);
  const asForm = mode === 'form' && fields.length > 0;
  return (
    <>
      {fields.length > 0 ? (
        <Segmented<InputMode>
          size="small"
          label={t('input_as')}
          value={mode}
          onChange={(next) => form.getState().set({ mode: next })}
          choices={[
            { value: 'form', label: t('form') },
            { value: 'json', label: t('json') },
          ]}
        />
      ) : null}
      {asForm ? (
        <div className="flex max-h-[34vh] flex-col gap-3 overflow-y-auto p-0.5">
          {fields.map((field) => (
            <InputFormField
              key={field.key}
              field={field}
              typed={typed}
              onType={(text) => form.getState().type(field.key, text)}
            />
          ))}
        </div>
      ) : (
        <Field
          label={t('body')}
          error={input === undefined ? t('not_json') : undefined}
          hint={t('body_hint')}
        >
          {(control) => (
            <TextArea
              {...control}
              mono
              rows={4}
              placeholder="{}"
              value={raw}
              onChange={(event) => form.getState().set({ raw: event.target.value })}
            />
          )}
        </Field>
      )}
    </>
  );
}

/** A field of the run form, with the control for its type. */
function InputFormField(props: InputFormFieldProps) {
  const { field, typed, onType } = props;
  const t = useRunViewTexts();
  const { type } = field;
  if (type === 'boolean' || type === 'choice' || type === 'file')
    return (
      <Suspense fallback={<Skeleton className="h-8" />}>
        <ChosenField {...props} />
      </Suspense>
    );
  const read = readField(field, typed);
  const isWrong = read !== undefined && 'problem' in read;
  const isDate = type === 'date';
  const initial = toText(field.default_value);
  return (
    <Field
      label={field.label ?? field.key}
      hint={field.hint}
      required={field.required === true}
      error={isWrong ? t(isDate ? 'not_a_date' : 'not_a_number') : undefined}
    >
      {(control) => (
        <Input
          {...control}
          {...(type === 'number' ? { inputMode: 'decimal' as const } : {})}
          {...(isDate ? { type: 'date' } : {})}
          value={typed.get(field.key) ?? (isDate ? initial : '')}
          placeholder={initial}
          onChange={(event) => onType(event.target.value)}
        />
      )}
    </Field>
  );
}
