import { Field } from '../../ui/forms/field.tsx';
import { Checkbox } from '../../ui/forms/toggles.tsx';
import type { ParameterFieldProps } from './parameter-field-props.ts';

/** Any number of fixed values, as boxes to tick. Stored values that are not offered any more stay until they are unticked. */
export function ChoicesField({ meta, value, fallback, problem, onChange }: ParameterFieldProps) {
  const stored = value ?? fallback;
  const chosen = Array.isArray(stored) ? stored.map(String) : [];
  const offered = meta.choices ?? [];
  const unknown = chosen.filter((one) => !offered.some((choice) => choice.value === one));
  const rows = [...offered, ...unknown.map((one) => ({ value: one, title: one }))];
  return (
    <Field label={meta.title} hint={meta.help} error={problem}>
      {(control) => (
        <div role="group" aria-label={meta.title} {...control} className="flex flex-col gap-1.5">
          {rows.map((choice) => (
            <Checkbox
              key={choice.value}
              label={choice.title}
              checked={chosen.includes(choice.value)}
              onChange={(ticked) =>
                onChange(ticked ? [...chosen, choice.value] : chosen.filter((one) => one !== choice.value))
              }
            />
          ))}
        </div>
      )}
    </Field>
  );
}
