import type { GlobalVariable } from '@millrace/contracts';
import { printValue } from '@millrace/engine/json';
import { Pencil, Share2, Trash2, Variable } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useDeleteVariables, useVariables } from '../../data/variables.ts';
import { useLeaveMenu } from '../../features/sharing/use-leave-menu.tsx';
import { Button } from '../../ui/actions/button.tsx';
import type { MenuItem } from '../../ui/actions/menu.tsx';
import type { Column } from '../../ui/layout/data-table.tsx';
import { selectColumn } from '../../ui/layout/select-column.tsx';
import { type Selection, useSelection } from '../../ui/layout/use-selection.ts';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { menuColumn, SharedBy, updatedColumn } from '../resources/resource-columns.tsx';
import { ResourcePage } from '../resources/resource-page.tsx';
import { RowDialogs, useRowDialog } from '../resources/row-dialogs.tsx';
import { useVariablesTexts } from './texts/use-variables-texts.ts';
import { VariableDialog } from './variable-dialog.tsx';

function useDelete(onDone: () => void) {
  const t = useVariablesTexts();
  const { mutateAsync: remove } = useDeleteVariables();
  return async (variables: readonly GlobalVariable[]) => {
    const [first] = variables;
    if (!first) return;
    const sure = await confirm({
      title: t('delete_title', { count: variables.length, name: first.name }),
      body: t('delete_body'),
      action: t('delete'),
    });
    if (!sure) return;
    await remove({ body: { ids: variables.map(({ id }) => id) } }).then(() => {
      toast.done(t('deleted', { count: variables.length, name: first.name }));
      onDone();
    }, showFailure);
  };
}

interface ColumnOptions extends Selection {
  onEdit: (variable: GlobalVariable) => void;
  buildMenu: (variable: GlobalVariable) => MenuItem[];
}

function useColumns({ selected, onSelect, onEdit, buildMenu }: ColumnOptions): Column<GlobalVariable>[] {
  const t = useVariablesTexts();
  const ui = useTranslations('ui');
  return [
    selectColumn({
      selected,
      onSelect,
      header: ui('select_all'),
      getId: (variable) => variable.id,
      getLabel: ({ is_shared, name }) => (is_shared ? undefined : ui('select_one', { name })),
    }),
    {
      id: 'name',
      header: ui('name'),
      width: 'minmax(120px, 1.2fr)',
      cell: (variable) => (
        <>
          <button
            type="button"
            className="truncate font-mono text-sm font-medium hover:underline"
            onClick={() => onEdit(variable)}
          >
            {variable.name}
          </button>
          {variable.is_shared ? <SharedBy {...variable} /> : null}
        </>
      ),
    },
    {
      id: 'type',
      header: t('type'),
      wide: true,
      width: '110px',
      cell: ({ value_type }) => <span className="text-soft">{t(`type_${value_type}`)}</span>,
    },
    {
      id: 'value',
      header: t('value'),
      width: 'minmax(100px, 2fr)',
      cell: ({ value }) => <code className="truncate text-sm text-soft">{printValue(value)}</code>,
    },
    updatedColumn(ui),
    menuColumn(ui, buildMenu),
  ];
}

/** Values that every workflow can read as `$global.<name>`. */
export function VariablesPage() {
  const t = useVariablesTexts();
  const ui = useTranslations('ui');
  const query = useVariables();
  const [words, setWords] = useState('');
  const dialog = useRowDialog<GlobalVariable>();
  const { selected, onSelect, clear } = useSelection();
  const remove = useDelete(clear);
  const getLeaveMenu = useLeaveMenu('variable');
  const buildMenu = (variable: GlobalVariable): MenuItem[] => [
    {
      label: ui('edit'),
      icon: <Pencil aria-hidden />,
      onSelect: () => dialog.edit(variable),
    },
    ...(variable.is_shared
      ? getLeaveMenu(variable)
      : ([
          {
            label: t('share'),
            icon: <Share2 aria-hidden />,
            onSelect: () => dialog.share(variable),
          },
          { kind: 'separator' },
          {
            label: t('delete'),
            icon: <Trash2 aria-hidden />,
            tone: 'danger',
            onSelect: () => void remove([variable]),
          },
        ] satisfies MenuItem[])),
  ];
  const chosen = (query.data ?? []).filter((variable) => selected.has(variable.id));
  return (
    <ResourcePage
      area="variables"
      texts={t}
      icon={<Variable aria-hidden />}
      query={query}
      words={words}
      onWords={setWords}
      getTexts={({ name, value }) => [name, JSON.stringify(value)]}
      columns={useColumns({ selected, onSelect, onEdit: dialog.edit, buildMenu })}
      onNew={dialog.onNew}
      onOpen={dialog.edit}
      tools={
        chosen.length > 0 ? (
          <Button tone="quiet-danger" onClick={() => void remove(chosen)}>
            <Trash2 aria-hidden />
            {t('delete_some', { count: chosen.length })}
          </Button>
        ) : null
      }
    >
      <RowDialogs dialog={dialog} kind="variable">
        {(variable) => <VariableDialog variable={variable} onClose={dialog.close} />}
      </RowDialogs>
    </ResourcePage>
  );
}
