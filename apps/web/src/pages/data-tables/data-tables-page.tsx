import type { DataTableSummary } from '@millrace/contracts';
import { Link, useNavigate } from '@tanstack/react-router';
import { Pencil, Share2, Table2, Trash2 } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { useDataTables, useDeleteDataTable } from '../../data/data-tables.ts';
import type { MenuItem } from '../../ui/actions/menu.tsx';
import type { Column } from '../../ui/layout/data-table.tsx';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { toast } from '../../ui/overlays/toast.ts';
import { menuColumn, ownerColumn, updatedColumn } from '../resources/resource-columns.tsx';
import { ResourcePage } from '../resources/resource-page.tsx';
import { ShareDialog } from '../sharing/share-dialog.tsx';
import { TableDialog } from './table-dialog.tsx';
import { useDataTablesTexts } from './texts/use-data-tables-texts.ts';

type Open = { kind: 'new' } | { kind: 'edit' | 'share'; table: DataTableSummary };

function useMenu(show: (open: Open) => void) {
  const t = useDataTablesTexts();
  const ui = useTranslations('ui');
  const { mutateAsync: remove } = useDeleteDataTable();
  const deleteOne = async ({ id, name, row_count }: DataTableSummary) => {
    const sure = await confirm({
      title: t('delete_title', { name }),
      body: t('delete_body', { count: row_count }),
      action: ui('delete'),
    });
    if (!sure) return;
    await remove(id).then(
      () => toast.done(t('deleted', { name })),
      (error: Error) => toast.failed(error.message),
    );
  };
  return (table: DataTableSummary): MenuItem[] => [
    { label: t('edit_columns'), icon: <Pencil aria-hidden />, onSelect: () => show({ kind: 'edit', table }) },
    { label: t('share'), icon: <Share2 aria-hidden />, onSelect: () => show({ kind: 'share', table }) },
    { kind: 'separator' },
    {
      label: ui('delete'),
      icon: <Trash2 aria-hidden />,
      tone: 'danger',
      onSelect: () => void deleteOne(table),
    },
  ];
}

function useColumns(menuOf: (table: DataTableSummary) => MenuItem[]): Column<DataTableSummary>[] {
  const t = useDataTablesTexts();
  const ui = useTranslations('ui');
  const number = new Intl.NumberFormat(useLocale());
  return [
    {
      id: 'name',
      header: ui('name'),
      width: 'minmax(160px, 2fr)',
      cell: (table) => (
        <>
          <Table2 className="size-4 shrink-0 text-faint" aria-hidden />
          <Link
            to="/data-tables/$id"
            params={{ id: table.id }}
            className="truncate font-medium hover:underline"
          >
            {table.name}
          </Link>
          <span className="hidden min-w-0 truncate text-sm text-faint lg:inline">{table.description}</span>
        </>
      ),
    },
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
    menuColumn(ui, (table) => (table.is_shared ? [] : menuOf(table))),
  ];
}

/** Data tables: rows that workflows and people read and write. */
export function DataTablesPage() {
  const t = useDataTablesTexts();
  const navigate = useNavigate();
  const [words, setWords] = useState('');
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const show = (id: string) => void navigate({ to: '/data-tables/$id', params: { id } });
  return (
    <ResourcePage
      area="data_tables"
      texts={t}
      icon={<Table2 aria-hidden />}
      query={useDataTables()}
      words={words}
      onWords={setWords}
      textsOf={({ name, description }) => [name, description ?? '']}
      columns={useColumns(useMenu(setOpen))}
      onNew={useCallback(() => setOpen({ kind: 'new' }), [])}
      onOpen={({ id }) => show(id)}
    >
      {open?.kind === 'new' ? <TableDialog onClose={close} onCreated={show} /> : null}
      {open?.kind === 'edit' ? <TableDialog id={open.table.id} onClose={close} /> : null}
      {open?.kind === 'share' ? (
        <ShareDialog kind="data_table" id={open.table.id} name={open.table.name} onClose={close} />
      ) : null}
    </ResourcePage>
  );
}
