import type { ReactNode } from 'react';
import { Field } from '../../../ui/forms/field.tsx';
import { ExpressionInput } from '../expression/expression-input.tsx';
import { ExpressionPreview } from '../expression/expression-preview.tsx';

interface TemplateTextProps {
  node_id: string;
  label: string;
  value: string;
  multiline?: boolean;
  placeholder?: string;
  described_by?: string | undefined;
  invalid?: boolean;
  onChange: (text: string) => void;
  onBlur: () => void;
}

/** A text with expressions and the value that it has now. */
export function TemplateText(props: TemplateTextProps) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <ExpressionInput {...props} mode="template" />
      <ExpressionPreview node_id={props.node_id} text={props.value} mode="template" />
    </div>
  );
}

interface TemplateFieldProps extends Omit<TemplateTextProps, 'described_by' | 'invalid'> {
  hint?: ReactNode;
  error?: string | undefined;
}

export function TemplateField({ hint, error, ...text }: TemplateFieldProps) {
  return (
    <Field label={text.label} hint={hint} error={error}>
      {(control) => (
        <TemplateText {...text} described_by={control['aria-describedby']} invalid={error !== undefined} />
      )}
    </Field>
  );
}
