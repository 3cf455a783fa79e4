import { Check } from 'lucide-react';
import { ToggleGroup } from 'radix-ui';
import { toText } from '../../lib/json/to-text.ts';
import { Field } from '../../ui/forms/field.tsx';
import type { ParameterFieldProps } from './parameter-field-props.ts';

/** One of the named colours of notes, as swatches. */
export function ColorField({ meta, value, fallback, problem, onChange }: ParameterFieldProps) {
  return (
    <Field label={meta.title} hint={meta.help} error={problem}>
      {(control) => (
        <ToggleGroup.Root
          type="single"
          aria-label={meta.title}
          {...control}
          value={toText(value ?? fallback)}
          onValueChange={(next) => {
            if (next !== '') onChange(next);
          }}
          className="flex gap-1.5"
        >
          {meta.choices?.map((choice) => (
            <ToggleGroup.Item
              key={choice.value}
              value={choice.value}
              aria-label={choice.title}
              data-note={choice.value}
              className="canvas-note inline-flex size-7 items-center justify-center rounded-m border pointer-coarse:size-10 [&>svg]:invisible aria-checked:[&>svg]:visible"
            >
              <Check className="size-4" aria-hidden />
            </ToggleGroup.Item>
          ))}
        </ToggleGroup.Root>
      )}
    </Field>
  );
}
