import type { DataTableSummary } from '@millrace/contracts';
import { Link, useNavigate } from '@tanstack/react-router';
import { Table2 } from 'lucide-react';
import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { useDataTables, useDeleteDataTable } from '../../data/data-tables.ts';
import { useLeaveMenu } from '../../features/sharing/use-leave-menu.tsx';
import type { MenuItem } from '../../ui/actions/menu.tsx';
import type { Column } from '../../ui/layout/data-table.tsx';
import { menuColumn, nameColumn, ownerColumn, updatedColumn } from '../resources/resource-columns.tsx';
import { ResourcePage } from '../resources/resource-page.tsx';
import { RowDialogs, useRowDialog, useRowMenu } from '../resources/row-dialogs.tsx';
import { TableDialog } from './table-dialog.tsx';
import { useDataTablesTexts } from './texts/use-data-tables-texts.ts';

function useColumns(getMenu: (table: DataTableSummary) => MenuItem[]): Column<DataTableSummary>[] {
  const t = useDataTablesTexts();
  const ui = useTranslations('ui');
  const number = new Intl.NumberFormat(useLocale());
  return [
    nameColumn(ui, <Table2 aria-hidden />, ({ id, name }) => (
      <Link to="/data-tables/$id" params={{ id }} className="truncate font-medium hover:underline">
        {name}
      </Link>
    )),
    {
      id: 'rows',
      header: t('rows'),
      align: 'end',
      width: '100px',
      cell: ({ row_count }) => <span className="text-soft">{number.format(row_count)}</span>,
    },
    {
      id: 'columns',
      header: t('columns'),
      align: 'end',
      wide: true,
      width: '100px',
      cell: ({ column_count }) => <span className="text-soft">{column_count}</span>,
    },
    ownerColumn(ui),
    updatedColumn(ui),
    menuColumn(ui, getMenu),
  ];
}

/** Data tables: rows that workflows and people read and write. */
export function DataTablesPage() {
  const t = useDataTablesTexts();
  const navigate = useNavigate();
  const [words, setWords] = useState('');
  const dialog = useRowDialog<DataTableSummary>();
  const { mutateAsync: remove } = useDeleteDataTable();
  const getOwnMenu = useRowMenu(dialog, {
    texts: t,
    edit: t('edit_columns'),
    deleteBody: ({ row_count }) => t('delete_body', { count: row_count }),
    remove,
  });
  const getLeaveMenu = useLeaveMenu('data_table');
  const getMenu = (table: DataTableSummary) => (table.is_shared ? getLeaveMenu(table) : getOwnMenu(table));
  const show = (id: string) => void navigate({ to: '/data-tables/$id', params: { id } });
  return (
    <ResourcePage
      area="data_tables"
      texts={t}
      icon={<Table2 aria-hidden />}
      query={useDataTables()}
      words={words}
      onWords={setWords}
      columns={useColumns(getMenu)}
      onNew={dialog.onNew}
      onOpen={({ id }) => show(id)}
    >
      <RowDialogs dialog={dialog} kind="data_table">
        {(table) => <TableDialog id={table?.id} onClose={dialog.close} onCreated={show} />}
      </RowDialogs>
    </ResourcePage>
  );
}
