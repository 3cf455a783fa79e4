import { toText } from '../../lib/json/to-text.ts';
import { Field } from '../../ui/forms/field.tsx';
import { Picker } from '../../ui/forms/picker.tsx';
import { usePanelTexts } from '../panel/texts/use-panel-texts.ts';
import type { ParameterFieldProps } from './parameter-field-props.ts';

/** The operation of the node, found by typing, with what a repetition of it would do to the service. */
export function OperationField({ meta, value, fallback, problem, onChange }: ParameterFieldProps) {
  const t = usePanelTexts('fields');
  const stored = toText(value ?? fallback);
  const choices = meta.choices ?? [];
  const offered = choices.map((choice) => ({ value: choice.value, label: choice.title }));
  const isOffered = stored === '' || choices.some((choice) => choice.value === stored);
  const effect = choices.find((choice) => choice.value === stored)?.effect;
  return (
    <Field label={meta.title} hint={effect ? t(`effect_${effect}`) : meta.help} error={problem}>
      {(control) => (
        <Picker
          {...control}
          value={stored}
          choices={isOffered ? offered : [...offered, { value: stored, label: stored }]}
          onChange={onChange}
        />
      )}
    </Field>
  );
}
