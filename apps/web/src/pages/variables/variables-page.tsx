import type { GlobalVariable } from '@millrace/contracts';
import { Ellipsis, Pencil, Plus, Share2, Trash2, Users, Variable } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useDeleteVariables, useVariables } from '../../data/variables.ts';
import { bestMatches } from '../../lib/fuzzy.ts';
import { type Command, useCommands } from '../../shell/commands.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { Menu, type MenuItem } from '../../ui/actions/menu.tsx';
import { EmptyState, LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Badge, Count } from '../../ui/display/status-chip.tsx';
import { Ago } from '../../ui/display/time.tsx';
import { SearchInput } from '../../ui/forms/input.tsx';
import { Checkbox } from '../../ui/forms/toggles.tsx';
import { type Column, DataTable } from '../../ui/layout/data-table.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { toast } from '../../ui/overlays/toast.ts';
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
          {variable.is_shared ? (
            <Badge tone="info">
              <Users aria-hidden />
              {variable.shared_by_team ?? variable.shared_by}
            </Badge>
          ) : null}
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
    {
      id: 'updated',
      header: t('variables.updated'),
      wide: true,
      width: '130px',
      cell: ({ updated_at }) => <Ago at={updated_at} className="truncate text-soft" />,
    },
    {
      id: 'menu',
      header: t('ui.more_actions'),
      hideHeader: true,
      width: '48px',
      align: 'end',
      cell: (variable) => (
        <Menu items={menuOf(variable)}>
          <IconButton
            size="small"
            tooltip={false}
            label={t('ui.actions_for', { name: variable.name })}
            icon={<Ellipsis aria-hidden />}
          />
        </Menu>
      ),
    },
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
  const all = query.data ?? [];
  useCommands(
    useMemo<Command[]>(
      () => [
        {
          id: 'variables.new',
          title: t('variables.new'),
          icon: <Plus aria-hidden />,
          keys: 'n',
          run: () => setOpen({ kind: 'new' }),
        },
      ],
      [t],
    ),
  );
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
  const chosen = all.filter((variable) => selected.has(variable.id));
  const rows = bestMatches(all, words, ({ name, value }) => [name, JSON.stringify(value)]);
  const close = () => setOpen(undefined);
  return (
    <Page
      title={t('variables.title')}
      badge={query.data ? <Count value={all.length} /> : null}
      actions={
        <Button tone="primary" onClick={() => setOpen({ kind: 'new' })}>
          <Plus aria-hidden />
          {t('variables.new')}
        </Button>
      }
      toolbar={
        all.length === 0 ? null : (
          <>
            <SearchInput
              data-search
              className="w-full sm:w-72"
              label={t('variables.search')}
              value={words}
              onChange={setWords}
            />
            {chosen.length > 0 ? (
              <Button tone="quiet-danger" onClick={() => void remove(chosen)}>
                <Trash2 aria-hidden />
                {t('variables.delete_some', { count: chosen.length })}
              </Button>
            ) : null}
          </>
        )
      }
    >
      {query.isPending ? (
        <SkeletonRows />
      ) : query.isError ? (
        <LoadFailed error={query.error} onRetry={() => void query.refetch()} />
      ) : all.length === 0 ? (
        <EmptyState
          icon={<Variable aria-hidden />}
          title={t('variables.none')}
          actions={
            <Button tone="primary" onClick={() => setOpen({ kind: 'new' })}>
              {t('variables.new')}
            </Button>
          }
        >
          {t('variables.none_hint')}
        </EmptyState>
      ) : rows.length === 0 ? (
        <EmptyState icon={<Variable aria-hidden />} title={t('variables.none_found')} />
      ) : (
        <DataTable
          label={t('variables.title')}
          columns={columnsOf(t, { selected, onSelect, onOpen: setOpen, menuOf })}
          rows={rows}
          rowKey={(variable) => variable.id}
          onOpen={(variable) => setOpen({ kind: 'edit', variable })}
        />
      )}
      {open?.kind === 'new' ? <VariableDialog onClose={close} /> : null}
      {open?.kind === 'edit' ? <VariableDialog variable={open.variable} onClose={close} /> : null}
      {open?.kind === 'share' ? (
        <ShareDialog kind="variable" id={open.variable.id} name={open.variable.name} onClose={close} />
      ) : null}
    </Page>
  );
}
