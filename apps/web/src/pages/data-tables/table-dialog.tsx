import { createDataTable, DATA_COLUMN_TYPES, type DataColumnType, type DataTable } from '@millrace/contracts';
import { Plus, Trash2 } from 'lucide-react';
import { useTranslations } from 'use-intl';
import { useDataTable, useSaveDataTable } from '../../data/data-tables.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { DescriptionField, NameField } from '../../ui/forms/name-fields.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { Checkbox } from '../../ui/forms/toggles.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { cellText } from './cell-text.ts';
import { useDataTablesTexts } from './texts/use-data-tables-texts.ts';

interface DraftColumn {
  /** Tells columns of the dialog apart; empty names are alike. */
  key: number;
  id?: string | undefined;
  name: string;
  type: DataColumnType;
  required: boolean;
  unique: boolean;
  default: string;
}

interface Values {
  name: string;
  description: string;
  columns: DraftColumn[];
}

let lastKey = 0;
const newColumn = (): DraftColumn => {
  lastKey += 1;
  return { key: lastKey, name: '', type: 'string', required: false, unique: false, default: '' };
};

const toValues = (table: DataTable | undefined): Values => ({
  name: table?.name ?? '',
  description: table?.description ?? '',
  columns: table
    ? table.columns.map((column) => ({ ...newColumn(), ...column, default: cellText(column.defaultValue) }))
    : [newColumn()],
});

/** Columns without a name are lines that were not filled in. */
const buildBody = ({ name, description, columns }: Values) => ({
  name,
  description,
  columns: columns
    .filter((column) => column.name.trim() !== '')
    .map((column, order) => ({
      ...(column.id === undefined ? {} : { id: column.id }),
      name: column.name,
      type: column.type,
      required: column.required,
      unique: column.unique,
      defaultValue: column.default === '' ? null : column.default,
      order,
    })),
});

interface TableDialogProps {
  /** A stored one to change; absent for a new one. */
  id?: string | undefined;
  onClose: () => void;
  onCreated?: (id: string) => void;
}

/** Name, description and columns of a data table. */
export function TableDialog({ id, ...props }: TableDialogProps) {
  return id === undefined ? <TableForm {...props} /> : <StoredTable id={id} {...props} />;
}

function StoredTable({ id, ...props }: TableDialogProps & { id: string }) {
  const t = useDataTablesTexts();
  const table = useDataTable(id);
  if (table.data) return <TableForm table={table.data} {...props} />;
  return (
    <Dialog open onOpenChange={props.onClose} title={t('edit_columns')}>
      {table.isLoadingError ? (
        <LoadFailed error={table.error} onRetry={() => void table.refetch()} />
      ) : (
        <SkeletonRows rows={3} />
      )}
    </Dialog>
  );
}

function TableForm({ table, onClose, onCreated }: Omit<TableDialogProps, 'id'> & { table?: DataTable }) {
  const t = useDataTablesTexts();
  const ui = useTranslations('ui');
  const save = useSaveDataTable(table?.id);
  const form = useForm<Values>({
    initial: toValues(table),
    schema: createDataTable.body,
    toBody: buildBody,
    submit: async (values) => {
      const { id, name } = await save.mutateAsync(buildBody(values));
      onClose();
      toast.done(t(table ? 'saved' : 'created', { name }));
      if (!table) onCreated?.(id);
    },
  });
  const { values, change } = form;
  const setColumn = (key: number, part: Partial<DraftColumn>) =>
    change({
      columns: values.columns.map((column) => (column.key === key ? { ...column, ...part } : column)),
    });
  return (
    <FormDialog
      form={form}
      size="large"
      title={table ? t('edit', { name: table.name }) : t('new')}
      description={table ? undefined : t('new_hint')}
      action={table ? ui('save') : t('create')}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <NameField form={form} />
        <DescriptionField form={form} />
      </div>
      <fieldset className="flex flex-col gap-3">
        <legend className="pb-1 text-sm font-medium">{t('columns')}</legend>
        {values.columns.map((column, at) => (
          <ColumnLine
            key={column.key}
            column={column}
            number={at + 1}
            onChange={(part) => setColumn(column.key, part)}
            onRemove={() => change({ columns: values.columns.filter(({ key }) => key !== column.key) })}
          />
        ))}
        <Button
          size="small"
          className="self-start"
          onClick={() => change({ columns: [...values.columns, newColumn()] })}
        >
          <Plus aria-hidden />
          {t('add_column')}
        </Button>
      </fieldset>
      {table ? <p className="text-sm text-soft">{t('columns_hint')}</p> : null}
    </FormDialog>
  );
}

interface ColumnLineProps {
  column: DraftColumn;
  number: number;
  onChange: (part: Partial<DraftColumn>) => void;
  onRemove: () => void;
}

function ColumnLine({ column, number, onChange, onRemove }: ColumnLineProps) {
  const t = useDataTablesTexts();
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-m border border-line p-2">
      <Input
        aria-label={t('column_name', { number })}
        placeholder={t('column_placeholder')}
        className="!w-44 grow"
        value={column.name}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <Select
        fit
        aria-label={t('column_type', { number })}
        value={column.type}
        choices={DATA_COLUMN_TYPES.map((value) => ({ value, label: t(`type_${value}`) }))}
        onChange={(type) => onChange({ type })}
      />
      <Input
        aria-label={t('column_default', { number })}
        placeholder={t('default')}
        className="!w-28"
        value={column.default}
        onChange={(event) => onChange({ default: event.target.value })}
      />
      <Checkbox
        label={t('required')}
        checked={column.required}
        onChange={(required) => onChange({ required })}
      />
      <Checkbox label={t('unique')} checked={column.unique} onChange={(unique) => onChange({ unique })} />
      <IconButton
        size="small"
        label={t('remove_column', { number })}
        icon={<Trash2 aria-hidden />}
        onClick={onRemove}
      />
    </div>
  );
}
