import { createGlobalVariable, type GlobalVariable, globalVariableType } from '@millrace/contracts';
import { ApiError } from '../../data/api.ts';
import { useCreateVariable, useUpdateVariable } from '../../data/variables.ts';
import { Field } from '../../ui/forms/field.tsx';
import { TextArea } from '../../ui/forms/input.tsx';
import { NameField } from '../../ui/forms/name-fields.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { useVariablesTexts } from './texts/use-variables-texts.ts';
import { textOfValue, valueOfText } from './value-text.ts';

interface VariableDialogProps {
  variable?: GlobalVariable | undefined;
  onClose: () => void;
}

function useVariableForm({ variable, onClose }: VariableDialogProps) {
  const t = useVariablesTexts();
  const create = useCreateVariable();
  const update = useUpdateVariable();
  const type = variable?.value_type ?? 'auto';
  const form = useForm({
    initial: { name: variable?.name ?? '', value_type: type, text: textOfValue(variable?.value ?? '', type) },
    schema: createGlobalVariable.body.pick({ name: true }),
    submit: async ({ name, value_type, text }) => {
      const parsed = valueOfText(text, value_type);
      if (!parsed.ok) {
        form.setErrors({ text: t(`not_${parsed.problem}`) });
        return;
      }
      const values = { name, value_type, value: parsed.value };
      try {
        if (!variable) await create.mutateAsync({ body: values });
        else {
          // Who only shares the variable may change its value, nothing else.
          const sent = variable.is_shared ? { value: parsed.value } : values;
          await update.mutateAsync({
            params: { id: variable.id },
            body: { ...sent, base_revision: variable.revision },
          });
        }
      } catch (error) {
        const stale =
          variable &&
          error instanceof ApiError &&
          error.status === 409 &&
          typeof error.body?.detail === 'object';
        throw stale ? new Error(t('stale'), { cause: error }) : error;
      }
      onClose();
      toast.done(t('saved', { name }));
    },
  });
  return form;
}

export function VariableDialog({ variable, onClose }: VariableDialogProps) {
  const t = useVariablesTexts();
  const form = useVariableForm({ ...(variable ? { variable } : {}), onClose });
  const { values, change } = form;
  return (
    <FormDialog
      form={form}
      title={variable ? t('edit', { name: variable.name }) : t('new')}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-[1fr_160px]">
        <NameField
          form={form}
          hint={t('name_hint', { expression: `$global.${values.name || 'name'}` })}
          autoFocus={!variable}
          disabled={variable?.is_shared}
        />
        <Field label={t('type')}>
          {(control) => (
            <Select
              {...control}
              disabled={variable?.is_shared ?? false}
              value={values.value_type}
              choices={globalVariableType.options.map((value) => ({
                value,
                label: t(`type_${value}`),
              }))}
              onChange={(value_type) => change({ value_type })}
            />
          )}
        </Field>
      </div>
      <Field label={t('value')} error={form.errors['text']}>
        {(control) => (
          <TextArea
            {...control}
            mono
            rows={values.value_type === 'object' || values.value_type === 'array' ? 8 : 3}
            autoFocus={variable !== undefined}
            spellCheck={false}
            value={values.text}
            onChange={(event) => change({ text: event.target.value })}
          />
        )}
      </Field>
    </FormDialog>
  );
}
