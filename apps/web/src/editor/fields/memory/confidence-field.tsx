import { Field } from '../../../ui/forms/field.tsx';
import { Input } from '../../../ui/forms/input.tsx';
import type { FieldErrors } from '../../../ui/forms/use-form.ts';
import { useMemoryTexts } from './texts/use-memory-texts.ts';

/** A number, also where the keyboard writes a comma; NaN for other text, which no schema takes. */
export const parseConfidence = (text: string): number =>
  text.trim() === '' ? 1 : Number(text.trim().replace(',', '.'));

interface ConfidenceFieldProps {
  form: {
    values: { confidence: string };
    errors: FieldErrors;
    change: (part: { confidence: string }) => void;
  };
}

export function ConfidenceField({ form }: ConfidenceFieldProps) {
  const t = useMemoryTexts();
  return (
    <Field
      label={t('confidence')}
      hint={t('confidence_hint')}
      error={form.errors['confidence'] === undefined ? undefined : t('not_a_number')}
    >
      {(control) => (
        <Input
          {...control}
          inputMode="decimal"
          value={form.values.confidence}
          onChange={(event) => form.change({ confidence: event.target.value })}
        />
      )}
    </Field>
  );
}
