import type { DataRow, DataTable } from '@millrace/contracts';
import { useMemo, useState } from 'react';
import { useTranslations } from 'use-intl';
import { type RowView, useDataRows, useDeleteRows, useRestoreRows } from '../../data/data-tables.ts';
import { useLoadMore } from '../../lib/use-load-more.ts';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { useDataTablesTexts } from './texts/use-data-tables-texts.ts';

function useDeletion(id: string, onDone: () => void) {
  const t = useDataTablesTexts();
  const ui = useTranslations('ui');
  const remove = useDeleteRows(id);
  const restore = useRestoreRows(id);
  return async (rows: readonly DataRow[]) => {
    await remove.mutateAsync(rows).then(() => {
      onDone();
      toast.done(t('rows_deleted', { count: rows.length }), {
        undo: { label: ui('undo'), run: () => void restore.mutateAsync(rows).catch(showFailure) },
      });
    }, showFailure);
  };
}

/** The rows of a table that a person looks at: which, in what order, and those that are selected. */
export function useTableRows(table: DataTable) {
  const [view, setView] = useState<RowView>({ filter: {}, sort: '' });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const list = useDataRows(table.id, view);
  const loaded = useMemo(() => list.data?.pages.flatMap((page) => page.rows) ?? [], [list.data]);
  const remove = useDeletion(table.id, () => setSelected(new Set()));
  const onEnd = useLoadMore(list);
  const chosen = loaded.filter((row) => selected.has(row.id));
  return {
    list,
    loaded,
    total: list.data?.pages[0]?.total ?? table.row_count,
    onEnd,
    isFiltered: Object.keys(view.filter).length > 0,
    onFilter: (filter: RowView['filter']) => setView((before) => ({ ...before, filter })),
    sort: view.sort,
    onSort: (sort: string) => setView((before) => ({ ...before, sort })),
    selected,
    onSelect: setSelected,
    chosen,
    removeChosen: () => remove(chosen),
  };
}

export type TableRows = ReturnType<typeof useTableRows>;
