import type { DataRow, DataTable } from '@millrace/contracts';
import { useTranslations } from 'use-intl';
import { useAddRow } from '../../data/data-tables.ts';
import { Button } from '../../ui/actions/button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { cellText, valueOf } from './cell-text.ts';

type Values = Record<string, string>;

/** Adds a row, field by field. */
export function RowDialog({ table, onClose }: { table: DataTable; onClose: () => void }) {
  const t = useTranslations('data_tables');
  const ui = useTranslations('ui');
  const add = useAddRow(table.id);
  const form = useForm<Values>({
    initial: Object.fromEntries(
      table.columns.map(({ name, defaultValue }) => [name, cellText(defaultValue)]),
    ),
    submit: async (values) => {
      const data: DataRow['data'] = {};
      for (const column of table.columns) {
        const text = values[column.name] ?? '';
        const value = valueOf(column, text);
        if (value === undefined) throw new Error(t('not_json', { column: column.name }));
        if (value !== null) data[column.name] = value;
      }
      await add.mutateAsync(data);
      onClose();
    },
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('add_row')}
      footer={
        <>
          <Button onClick={onClose}>{ui('cancel')}</Button>
          <Button tone="primary" busy={form.busy} onClick={form.send}>
            {t('add')}
          </Button>
        </>
      }
    >
      <form {...form.props} className="flex flex-col gap-4">
        <FormProblem text={form.problem} />
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
        <button type="submit" hidden tabIndex={-1} aria-hidden />
      </form>
    </Dialog>
  );
}
