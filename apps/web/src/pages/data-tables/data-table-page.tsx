import type { DataRow, DataTable } from '@millrace/contracts';
import { useParams } from '@tanstack/react-router';
import { Columns3, Download, Plus, Rows3, Table2, Trash2, Upload } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslations } from 'use-intl';
import {
  exportRows,
  type RowView,
  useDataRows,
  useDataTable,
  useDeleteRows,
  useRestoreRows,
} from '../../data/data-tables.ts';
import { isNotFound } from '../../data/refusal.ts';
import { useLoadMore } from '../../lib/use-load-more.ts';
import { type Command, useCommands } from '../../shell/commands.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { EmptyState, LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Badge, Count } from '../../ui/display/status-chip.tsx';
import { BackLink } from '../../ui/layout/back-link.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { NotFoundPage } from '../errors/not-found-page.tsx';
import { FilterBar } from './filter-bar.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { RowDialog } from './row-dialog.tsx';
import { RowGrid } from './row-grid.tsx';
import { TableDialog } from './table-dialog.tsx';
import { useDataTablesTexts } from './texts/use-data-tables-texts.ts';

const failed = (error: Error): void => toast.failed(error.message);

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

function useDeletion(id: string, onDone: () => void) {
  const t = useDataTablesTexts();
  const ui = useTranslations('ui');
  const remove = useDeleteRows(id);
  const restore = useRestoreRows(id);
  return async (rows: readonly DataRow[]) => {
    await remove.mutateAsync(rows).then(() => {
      onDone();
      toast.done(t('rows_deleted', { count: rows.length }), {
        undo: { label: ui('undo'), run: () => void restore.mutateAsync(rows).catch(failed) },
      });
    }, failed);
  };
}

type Open = 'row' | 'import' | 'columns';

function LoadedTable({ table }: { table: DataTable }) {
  const t = useDataTablesTexts();
  const { id, name, columns } = table;
  const mayWrite = table.permission === 'write';
  const isOwner = !table.is_shared;
  const [view, setView] = useState<RowView>({ filter: {}, sort: '' });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<Open>();
  const list = useDataRows(id, view);
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.rows) ?? [], [list.data]);
  const total = list.data?.pages[0]?.total ?? table.row_count;
  const remove = useDeletion(id, () => setSelected(new Set()));
  const onEnd = useLoadMore(list);
  useCommands(
    useMemo<Command[]>(
      () =>
        mayWrite && columns.length > 0
          ? [
              {
                id: 'data_tables.add_row',
                title: t('add_row'),
                icon: <Plus aria-hidden />,
                keys: 'n',
                run: () => setOpen('row'),
              },
            ]
          : [],
      [mayWrite, columns.length, t],
    ),
  );
  const chosen = rows.filter((row) => selected.has(row.id));
  const close = () => setOpen(undefined);
  const isFiltered = Object.keys(view.filter).length > 0;
  return (
    <Page
      fill
      title={name}
      lead={<BackLink to="/data-tables" label={t('title')} />}
      badge={
        <>
          <Count value={total} />
          {mayWrite ? null : <Badge>{t('read_only')}</Badge>}
        </>
      }
      actions={
        <>
          {isOwner ? (
            <IconButton
              label={t('edit_columns')}
              icon={<Columns3 aria-hidden />}
              onClick={() => setOpen('columns')}
            />
          ) : null}
          {mayWrite && columns.length > 0 ? (
            <IconButton label={t('import')} icon={<Upload aria-hidden />} onClick={() => setOpen('import')} />
          ) : null}
          <IconButton
            label={t('export')}
            icon={<Download aria-hidden />}
            onClick={() => void exportRows(id, name).catch(failed)}
          />
          {mayWrite && columns.length > 0 ? (
            <Button tone="primary" onClick={() => setOpen('row')}>
              <Plus aria-hidden />
              {t('add_row')}
            </Button>
          ) : null}
        </>
      }
      toolbar={
        columns.length > 0 ? (
          <>
            <FilterBar
              columns={columns}
              onFilter={(filter) => setView((before) => ({ ...before, filter }))}
            />
            {chosen.length > 0 ? (
              <Button size="small" tone="danger" onClick={() => void remove(chosen)}>
                <Trash2 aria-hidden />
                {t('delete_rows', { count: chosen.length })}
              </Button>
            ) : null}
          </>
        ) : null
      }
    >
      {columns.length === 0 ? (
        <EmptyState
          icon={<Table2 aria-hidden />}
          title={t('no_columns')}
          actions={isOwner ? <Button onClick={() => setOpen('columns')}>{t('edit_columns')}</Button> : null}
        >
          {t('no_columns_hint')}
        </EmptyState>
      ) : list.isPending ? (
        <SkeletonRows />
      ) : list.isLoadingError ? (
        <LoadFailed error={list.error} onRetry={() => void list.refetch()} />
      ) : rows.length === 0 ? (
        <EmptyState
          icon={<Rows3 aria-hidden />}
          title={isFiltered ? t('no_rows_found') : t('no_rows')}
          actions={
            mayWrite && !isFiltered ? (
              <>
                <Button onClick={() => setOpen('row')}>{t('add_row')}</Button>
                <Button onClick={() => setOpen('import')}>{t('import')}</Button>
              </>
            ) : null
          }
        >
          {isFiltered ? null : t('no_rows_hint')}
        </EmptyState>
      ) : (
        <RowGrid
          table={table}
          rows={rows}
          total={total}
          sort={view.sort}
          onSort={(sort) => setView((before) => ({ ...before, sort }))}
          selected={selected}
          onSelect={setSelected}
          onEnd={onEnd}
        />
      )}
      {open === 'row' ? <RowDialog table={table} onClose={close} /> : null}
      {open === 'import' ? <ImportDialog table={table} onClose={close} /> : null}
      {open === 'columns' ? <TableDialog id={id} onClose={close} /> : null}
    </Page>
  );
}
