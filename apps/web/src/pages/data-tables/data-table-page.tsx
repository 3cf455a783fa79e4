import type { DataTable } from '@millrace/contracts';
import { useParams } from '@tanstack/react-router';
import { Columns3, Download, Plus, Rows3, Table2, Trash2, Upload } from 'lucide-react';
import { useMemo, useState } from 'react';
import { exportRows, useDataTable } from '../../data/data-tables.ts';
import { isNotFound } from '../../data/refusal.ts';
import { type Command, useCommands } from '../../lib/commands.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { EmptyState, LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Badge, Count } from '../../ui/display/status-chip.tsx';
import { BackLink } from '../../ui/layout/back-link.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { showFailure } from '../../ui/overlays/toast.ts';
import { NotFoundPage } from '../errors/not-found-page.tsx';
import { FilterBar } from './filter-bar.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { RowDialog } from './row-dialog.tsx';
import { RowGrid } from './row-grid.tsx';
import { TableDialog } from './table-dialog.tsx';
import { useDataTablesTexts } from './texts/use-data-tables-texts.ts';
import { type TableRows, useTableRows } from './use-table-rows.ts';

/** One data table: its rows in a grid. */
export function DataTablePage() {
  const t = useDataTablesTexts();
  const { id } = useParams({ from: '/app/data-tables/$id' });
  const table = useDataTable(id);
  if (table.data) return <LoadedTable key={id} table={table.data} />;
  if (isNotFound(table.error)) return <NotFoundPage />;
  return (
    <Page title={t('title')} lead={<BackLink to="/data-tables" label={t('title')} />}>
      {table.isLoadingError ? (
        <LoadFailed error={table.error} onRetry={() => void table.refetch()} />
      ) : (
        <SkeletonRows />
      )}
    </Page>
  );
}

type Open = 'row' | 'import' | 'columns';

const mayWrite = ({ permission }: DataTable): boolean => permission === 'write';
const mayChangeColumns = ({ is_shared }: DataTable): boolean => !is_shared;
/** A row without a column would hold nothing. */
const mayAddRows = (table: DataTable): boolean => mayWrite(table) && table.columns.length > 0;

/** A file brings the columns for a table that has none. */
const mayImport = (table: DataTable): boolean =>
  mayAddRows(table) || (mayChangeColumns(table) && table.columns.length === 0);

function useAddRowCommand(isOffered: boolean, onOpen: (dialog: Open) => void): void {
  const t = useDataTablesTexts();
  useCommands(
    useMemo<Command[]>(
      () =>
        isOffered
          ? [
              {
                id: 'data_tables.add_row',
                title: t('add_row'),
                icon: <Plus aria-hidden />,
                keys: 'n',
                run: () => onOpen('row'),
              },
            ]
          : [],
      [isOffered, onOpen, t],
    ),
  );
}

function LoadedTable({ table }: { table: DataTable }) {
  const t = useDataTablesTexts();
  const [open, setOpen] = useState<Open>();
  const rows = useTableRows(table);
  useAddRowCommand(mayAddRows(table), setOpen);
  const close = () => setOpen(undefined);
  return (
    <Page
      fill
      title={table.name}
      lead={<BackLink to="/data-tables" label={t('title')} />}
      badge={
        <>
          <Count value={rows.total} />
          {mayWrite(table) ? null : <Badge>{t('read_only')}</Badge>}
        </>
      }
      actions={<Actions table={table} onOpen={setOpen} />}
      toolbar={table.columns.length > 0 ? <Toolbar table={table} rows={rows} /> : null}
    >
      <Content table={table} rows={rows} onOpen={setOpen} />
      {open === 'row' ? <RowDialog table={table} onClose={close} /> : null}
      {open === 'import' ? <ImportDialog table={table} onClose={close} /> : null}
      {open === 'columns' ? <TableDialog id={table.id} onClose={close} /> : null}
    </Page>
  );
}

interface ActionsProps {
  table: DataTable;
  onOpen: (dialog: Open) => void;
}

function Actions({ table, onOpen }: ActionsProps) {
  const t = useDataTablesTexts();
  const exportAll = () => exportRows(table.id, table.name).catch(showFailure);
  return (
    <>
      {mayChangeColumns(table) ? (
        <IconButton
          label={t('edit_columns')}
          icon={<Columns3 aria-hidden />}
          onClick={() => onOpen('columns')}
        />
      ) : null}
      {mayImport(table) ? (
        <IconButton label={t('import')} icon={<Upload aria-hidden />} onClick={() => onOpen('import')} />
      ) : null}
      <IconButton label={t('export')} icon={<Download aria-hidden />} onClick={() => void exportAll()} />
      {mayAddRows(table) ? (
        <Button tone="primary" onClick={() => onOpen('row')}>
          <Plus aria-hidden />
          {t('add_row')}
        </Button>
      ) : null}
    </>
  );
}

interface RowsProps {
  table: DataTable;
  rows: TableRows;
}

function Toolbar({ table, rows: { onFilter, chosen, removeChosen } }: RowsProps) {
  const t = useDataTablesTexts();
  return (
    <>
      <FilterBar columns={table.columns} onFilter={onFilter} />
      {chosen.length > 0 ? (
        <Button size="small" tone="danger" onClick={() => void removeChosen()}>
          <Trash2 aria-hidden />
          {t('delete_rows', { count: chosen.length })}
        </Button>
      ) : null}
    </>
  );
}

/** The rows, or why there are none. */
function Content({ table, rows, onOpen }: RowsProps & ActionsProps) {
  const t = useDataTablesTexts();
  const { list, isFiltered } = rows;
  if (table.columns.length === 0)
    return (
      <EmptyState
        icon={<Table2 aria-hidden />}
        title={t('no_columns')}
        actions={
          mayChangeColumns(table) ? (
            <>
              <Button onClick={() => onOpen('columns')}>{t('edit_columns')}</Button>
              <Button onClick={() => onOpen('import')}>{t('import')}</Button>
            </>
          ) : null
        }
      >
        {t('no_columns_hint')}
      </EmptyState>
    );
  if (list.isPending) return <SkeletonRows />;
  if (list.isLoadingError) return <LoadFailed error={list.error} onRetry={() => void list.refetch()} />;
  if (rows.loaded.length === 0)
    return (
      <EmptyState
        icon={<Rows3 aria-hidden />}
        title={isFiltered ? t('no_rows_found') : t('no_rows')}
        actions={
          mayWrite(table) && !isFiltered ? (
            <>
              <Button onClick={() => onOpen('row')}>{t('add_row')}</Button>
              <Button onClick={() => onOpen('import')}>{t('import')}</Button>
            </>
          ) : null
        }
      >
        {isFiltered ? null : t('no_rows_hint')}
      </EmptyState>
    );
  return <RowGrid table={table} rows={rows} />;
}
