import type { z } from 'zod';
import { DescriptionField, NameField } from '../forms/name-fields.tsx';
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
  initial: NameAndDescription;
  schema: z.ZodType;
  submit: (values: NameAndDescription) => Promise<unknown>;
  onClose: () => void;
}

/** Asks for the name and the description of a thing, and closes when they are saved. */
export function NameDialog({ title, action, initial, schema, submit, onClose }: NameDialogProps) {
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
      <NameField form={form} />
      <DescriptionField form={form} />
    </FormDialog>
  );
}
