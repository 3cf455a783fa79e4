import type { ReactNode } from 'react';
import { Input } from '../../../ui/forms/input.tsx';
import type { FieldContext } from './field-context.ts';
import { TemplateText } from './template-field.tsx';
import { useHttpTexts } from './texts/use-http-texts.ts';

interface Named {
  readonly name: string;
  readonly value: string;
}

interface NamedValueProps {
  context: FieldContext;
  row: Named;
  /** Accessible names of the two fields. */
  labels: Named;
  /** Of the value. */
  placeholder?: string;
  onChange: (part: Partial<Named>) => void;
  /** The other contents of a row. */
  children?: ReactNode;
}

/** A row of a request: a name as it is, and a value with expressions. */
export function NamedValue({ context, row, labels, placeholder, onChange, children }: NamedValueProps) {
  const t = useHttpTexts();
  return (
    <div className="flex flex-col gap-1">
      <Input
        mono
        aria-label={labels.name}
        placeholder={t('name')}
        value={row.name}
        onChange={(event) => onChange({ name: event.target.value })}
        onBlur={context.onBlur}
      />
      <TemplateText
        {...context}
        label={labels.value}
        placeholder={placeholder ?? t('value')}
        value={row.value}
        onChange={(value) => onChange({ value })}
      />
      {children}
    </div>
  );
}
