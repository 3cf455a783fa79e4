import type { DataRow, DataTable } from '@millrace/contracts';
import { useAddRow } from '../../data/data-tables.ts';
import { Field } from '../../ui/forms/field.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { cellText, parseCell } from './cell-text.ts';
import { useDataTablesTexts } from './texts/use-data-tables-texts.ts';

type Values = Record<string, string>;

/** Adds a row, field by field. */
export function RowDialog({ table, onClose }: { table: DataTable; onClose: () => void }) {
  const t = useDataTablesTexts();
  const add = useAddRow(table.id);
  const form = useForm<Values>({
    initial: Object.fromEntries(
      table.columns.map(({ name, defaultValue }) => [name, cellText(defaultValue)]),
    ),
    submit: async (values) => {
      const data: DataRow['data'] = {};
      for (const column of table.columns) {
        const text = values[column.name] ?? '';
        const value = parseCell(column, text);
        if (value === undefined) throw new Error(t('not_json', { column: column.name }));
        if (value !== null) data[column.name] = value;
      }
      await add.mutateAsync(data);
      onClose();
    },
  });
  return (
    <FormDialog form={form} title={t('add_row')} action={t('add')} onClose={onClose}>
      {table.columns.map((column, at) => (
        <Field
          key={column.id}
          label={column.name}
          optional={!column.required}
          required={column.required}
          hint={column.type === 'string' ? undefined : t(`hint_${column.type}`)}
          error={form.errors[`data.${column.name}`]}
        >
          {(control) => (
            <Input
              {...control}
              autoFocus={at === 0}
              autoComplete="off"
              mono={column.type === 'json'}
              value={form.values[column.name] ?? ''}
              onChange={(event) => form.change({ [column.name]: event.target.value })}
            />
          )}
        </Field>
      ))}
    </FormDialog>
  );
}
