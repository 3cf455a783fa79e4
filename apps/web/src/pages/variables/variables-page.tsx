import type { GlobalVariable } from '@millrace/contracts';
import { Pencil, Share2, Trash2, Variable } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useDeleteVariables, useVariables } from '../../data/variables.ts';
import { Button } from '../../ui/actions/button.tsx';
import type { MenuItem } from '../../ui/actions/menu.tsx';
import { Checkbox } from '../../ui/forms/toggles.tsx';
import type { Column } from '../../ui/layout/data-table.tsx';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { toast } from '../../ui/overlays/toast.ts';
import { menuColumn, SharedBy, updatedColumn } from '../resources/resource-columns.tsx';
import { ResourcePage } from '../resources/resource-page.tsx';
import { ShareDialog } from '../sharing/share-dialog.tsx';
import { VariableDialog } from './variable-dialog.tsx';

type Open = { kind: 'new' } | { kind: 'edit' | 'share'; variable: GlobalVariable };

function useDelete(onDone: () => void) {
  const t = useTranslations('variables');
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
    await remove(variables.map((variable) => variable.id)).then(
      () => {
        toast.done(t('deleted', { count: variables.length, name: first.name }));
        onDone();
      },
      (error: Error) => toast.failed(error.message),
    );
  };
}

interface ColumnOptions {
  selected: ReadonlySet<string>;
  onSelect: (id: string, on: boolean) => void;
  onOpen: (open: Open) => void;
  menuOf: (variable: GlobalVariable) => MenuItem[];
}

function columnsOf(
  t: ReturnType<typeof useTranslations<never>>,
  options: ColumnOptions,
): Column<GlobalVariable>[] {
  const { selected, onSelect, onOpen, menuOf } = options;
  return [
    {
      id: 'select',
      header: t('variables.select'),
      hideHeader: true,
      width: '40px',
      cell: (variable) =>
        variable.is_shared ? null : (
          <Checkbox
            hideLabel
            label={t('variables.select_one', { name: variable.name })}
            checked={selected.has(variable.id)}
            onChange={(on) => onSelect(variable.id, on)}
          />
        ),
    },
    {
      id: 'name',
      header: t('variables.name'),
      width: 'minmax(120px, 1.2fr)',
      cell: (variable) => (
        <>
          <button
            type="button"
            className="truncate font-mono text-sm font-medium hover:underline"
            onClick={() => onOpen({ kind: 'edit', variable })}
          >
            {variable.name}
          </button>
          {variable.is_shared ? <SharedBy {...variable} /> : null}
        </>
      ),
    },
    {
      id: 'type',
      header: t('variables.type'),
      wide: true,
      width: '110px',
      cell: ({ value_type }) => <span className="text-soft">{t(`variables.type_${value_type}`)}</span>,
    },
    {
      id: 'value',
      header: t('variables.value'),
      width: 'minmax(100px, 2fr)',
      cell: ({ value }) => (
        <code className="truncate text-sm text-soft">
          {typeof value === 'string' ? value : JSON.stringify(value)}
        </code>
      ),
    },
    updatedColumn(t),
    menuColumn(t, menuOf),
  ];
}

/** Values that every workflow can read as `$global.<name>`. */
export function VariablesPage() {
  const t = useTranslations();
  const query = useVariables();
  const [words, setWords] = useState('');
  const [open, setOpen] = useState<Open>();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const remove = useDelete(() => setSelected(new Set()));
  const onSelect = (id: string, on: boolean) =>
    setSelected(new Set(on ? [...selected, id] : [...selected].filter((other) => other !== id)));
  const menuOf = (variable: GlobalVariable): MenuItem[] => [
    {
      label: t('ui.edit'),
      icon: <Pencil aria-hidden />,
      onSelect: () => setOpen({ kind: 'edit', variable }),
    },
    ...(variable.is_shared
      ? []
      : ([
          {
            label: t('variables.share'),
            icon: <Share2 aria-hidden />,
            onSelect: () => setOpen({ kind: 'share', variable }),
          },
          { kind: 'separator' },
          {
            label: t('variables.delete'),
            icon: <Trash2 aria-hidden />,
            tone: 'danger',
            onSelect: () => void remove([variable]),
          },
        ] satisfies MenuItem[])),
  ];
  const chosen = (query.data ?? []).filter((variable) => selected.has(variable.id));
  const close = () => setOpen(undefined);
  return (
    <ResourcePage
      area="variables"
      icon={<Variable aria-hidden />}
      query={query}
      words={words}
      onWords={setWords}
      textsOf={({ name, value }) => [name, JSON.stringify(value)]}
      columns={columnsOf(t, { selected, onSelect, onOpen: setOpen, menuOf })}
      onNew={useCallback(() => setOpen({ kind: 'new' }), [])}
      onOpen={(variable) => setOpen({ kind: 'edit', variable })}
      tools={
        chosen.length > 0 ? (
          <Button tone="quiet-danger" onClick={() => void remove(chosen)}>
            <Trash2 aria-hidden />
            {t('variables.delete_some', { count: chosen.length })}
          </Button>
        ) : null
      }
    >
      {open?.kind === 'new' ? <VariableDialog onClose={close} /> : null}
      {open?.kind === 'edit' ? <VariableDialog variable={open.variable} onClose={close} /> : null}
      {open?.kind === 'share' ? (
        <ShareDialog kind="variable" id={open.variable.id} name={open.variable.name} onClose={close} />
      ) : null}
    </ResourcePage>
  );
}
