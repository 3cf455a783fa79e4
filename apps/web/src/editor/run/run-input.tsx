import type { Json } from '@millrace/engine';
import { useStore } from 'zustand';
import { Field } from '../../ui/forms/field.tsx';
import { Input, TextArea } from '../../ui/forms/input.tsx';
import { Segmented } from '../../ui/forms/toggles.tsx';
import { useEditorTexts } from '../texts/use-editor-texts.ts';
import type { InputFormField } from './input-form.ts';
import type { InputMode, RunFormStore } from './run-form.ts';

interface RunInputProps {
  form: RunFormStore;
  /** Without any, what is given is JSON. */
  fields: readonly InputFormField[];
  /** What the form holds now; undefined while its JSON cannot be read. */
  input: Json | undefined;
}

/** What a run is given: a field for each that the workflow declares, or JSON. */
export function RunInput({ form, fields, input }: RunInputProps) {
  const t = useEditorTexts('run');
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
            <Field key={field.key} label={field.key}>
              {(control) => (
                <Input
                  {...control}
                  value={typed.get(field.key) ?? ''}
                  placeholder={field.default_value}
                  onChange={(event) => form.getState().type(field.key, event.target.value)}
                />
              )}
            </Field>
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
