import { useVectorStores } from '../../data/vector-stores.ts';
import { toText } from '../../lib/json/to-text.ts';
import { Field } from '../../ui/forms/field.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { usePanelTexts } from '../panel/texts/use-panel-texts.ts';
import type { ParameterFieldProps } from './parameter-field-props.ts';

/** A vector store that the person can see. */
export function VectorStoreField({ meta, value, problem, onChange }: ParameterFieldProps) {
  const t = usePanelTexts('fields');
  const { data } = useVectorStores();
  const choices = (data ?? []).map((store) => ({ value: store.id, label: store.name }));
  const stored = toText(value);
  const gone = stored !== '' && data !== undefined && !choices.some((choice) => choice.value === stored);
  return (
    <Field label={meta.title} hint={meta.help} error={problem ?? (gone ? t('vector_store_gone') : undefined)}>
      {(control) => (
        <Select
          {...control}
          value={stored}
          choices={choices}
          placeholder={t('choose_vector_store')}
          onChange={onChange}
        />
      )}
    </Field>
  );
}
