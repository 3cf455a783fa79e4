import { listDataTables, readDataTable } from '@millrace/contracts';
import { useEndpoint } from '../../data/endpoint.ts';
import { toText } from '../../lib/json/to-text.ts';
import { Field } from '../../ui/forms/field.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { usePanelTexts } from '../panel/texts/use-panel-texts.ts';
import type { ParameterFieldProps } from './parameter-field-props.ts';

/** A data table, with the columns that its filter and values can name. */
export function DataTableField({ meta, value, problem, onChange }: ParameterFieldProps) {
  const t = usePanelTexts('fields');
  const { data: tables } = useEndpoint(listDataTables);
  const id = toText(value);
  const isKnown = tables?.some((table) => table.id === id) ?? false;
  const { data: chosen } = useEndpoint(readDataTable, { params: { id } }, { enabled: isKnown });
  const isExpression = id.includes('$');
  const gone = id !== '' && !isExpression && tables !== undefined && !isKnown;
  const columns = chosen?.columns.map(({ name }) => name).join(', ');
  const choices = (tables ?? []).map((table) => ({ value: table.id, label: table.name }));
  // Where another node says which table is meant, its expression is a choice of its own.
  if (isExpression || gone) choices.push({ value: id, label: id });
  return (
    <Field
      label={meta.title}
      hint={columns ? t('data_table_columns', { columns }) : meta.help}
      error={problem ?? (gone ? t('data_table_gone') : undefined)}
    >
      {(control) => (
        <Select
          {...control}
          value={id}
          choices={choices}
          placeholder={tables?.length === 0 ? t('no_data_tables') : t('choose_data_table')}
          onChange={onChange}
        />
      )}
    </Field>
  );
}
