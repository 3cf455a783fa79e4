import type { z } from 'zod';
import { Field } from '../forms/field.tsx';
import { Input, TextArea } from '../forms/input.tsx';
import { useForm } from '../forms/use-form.ts';
import { FormDialog } from './form-dialog.tsx';

export interface NameAndDescription {
  name: string;
  description: string;
}

interface NameDialogProps {
  title: string;
  /** The verb on the button. */
  action: string;
  labels: NameAndDescription;
  initial: NameAndDescription;
  schema: z.ZodType;
  submit: (values: NameAndDescription) => Promise<unknown>;
  onClose: () => void;
}

/** Asks for the name and the description of a thing, and closes when they are saved. */
export function NameDialog({ title, action, labels, initial, schema, submit, onClose }: NameDialogProps) {
  const form = useForm({
    initial,
    schema,
    submit: async (values) => {
      await submit(values);
      onClose();
    },
  });
  return (
    <FormDialog form={form} size="small" title={title} action={action} onClose={onClose}>
      <Field label={labels.name} error={form.errors['name']}>
        {(control) => (
          <Input
            {...control}
            autoFocus
            value={form.values.name}
            onChange={(event) => form.change({ name: event.target.value })}
          />
        )}
      </Field>
      <Field label={labels.description} optional error={form.errors['description']}>
        {(control) => (
          <TextArea
            {...control}
            rows={2}
            value={form.values.description}
            onChange={(event) => form.change({ description: event.target.value })}
          />
        )}
      </Field>
    </FormDialog>
  );
}
