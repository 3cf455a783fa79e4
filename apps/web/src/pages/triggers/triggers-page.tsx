import type { Trigger } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { Ellipsis, Pause, Play, Radio, Workflow } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslations } from 'use-intl';
import { usePauseTrigger, useRunTrigger, useTriggers } from '../../data/triggers.ts';
import { bestMatches } from '../../lib/fuzzy.ts';
import { buttonStyle } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { Menu, type MenuItem } from '../../ui/actions/menu.tsx';
import { EmptyState, LoadFailed, NothingFound } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Count } from '../../ui/display/status-chip.tsx';
import { Ago } from '../../ui/display/time.tsx';
import { FilterSelect, PageSearch } from '../../ui/forms/filters.tsx';
import { useNodeLooks, WorkflowGlyph } from '../../ui/graph/workflow-glyph.tsx';
import type { Column } from '../../ui/layout/data-table.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { VirtualTable } from '../../ui/layout/virtual-table.tsx';
import { Sheet } from '../../ui/overlays/dialog.tsx';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { Alerts } from './alerts/alerts-sheet.tsx';
import { useTriggersTexts } from './texts/use-triggers-texts.ts';
import { TriggerDetail } from './trigger-detail.tsx';
import { STATES, type TriggerState, TriggerStateChip } from './trigger-state.tsx';

/** Pause, resume and run now, with their messages. */
function useActions(): (trigger: Trigger) => MenuItem[] {
  const t = useTriggersTexts();
  const { mutate: pause } = usePauseTrigger();
  const { mutate: run } = useRunTrigger();
  return ({ workflow_id, workflow_name, node_id, paused_at, kind, state }) => {
    const node = { workflow_id, node_id };
    const isPaused = paused_at !== null;
    return [
      isPaused
        ? {
            label: t('resume'),
            icon: <Play aria-hidden />,
            onSelect: () =>
              pause(
                { ...node, is_paused: false },
                { onSuccess: () => toast.done(t('resumed', { name: workflow_name })), onError: showFailure },
              ),
          }
        : {
            label: t('pause'),
            icon: <Pause aria-hidden />,
            onSelect: () =>
              pause(
                { ...node, is_paused: true },
                { onSuccess: () => toast.done(t('paused', { name: workflow_name })), onError: showFailure },
              ),
          },
      ...(kind === 'clock' && state !== 'paused'
        ? [
            {
              label: t('run_now'),
              icon: <Radio aria-hidden />,
              onSelect: () =>
                run(node, {
                  onSuccess: () => toast.done(t('started', { name: workflow_name })),
                  onError: showFailure,
                }),
            },
          ]
        : []),
    ];
  };
}

interface ColumnOptions {
  getTitle: (type: string) => string;
  getItems: (trigger: Trigger) => MenuItem[];
}

function useColumns({ getTitle, getItems }: ColumnOptions): Column<Trigger>[] {
  const t = useTriggersTexts();
  const ui = useTranslations('ui');
  return [
    {
      id: 'workflow',
      header: t('workflow'),
      width: 'minmax(140px, 1.6fr)',
      cell: ({ type, workflow_id, workflow_name }) => (
        <>
          <WorkflowGlyph type={type} size="small" />
          <Link
            to="/workflows/$id"
            params={{ id: workflow_id }}
            className="truncate font-medium hover:underline"
          >
            {workflow_name}
          </Link>
        </>
      ),
    },
    {
      id: 'type',
      header: t('type'),
      wide: true,
      width: 'minmax(120px, 1fr)',
      cell: ({ type }) => <span className="truncate text-soft">{getTitle(type)}</span>,
    },
    {
      id: 'state',
      header: t('state'),
      width: '130px',
      cell: ({ state }) => <TriggerStateChip state={state} />,
    },
    {
      id: 'last_event',
      header: t('last_event'),
      wide: true,
      width: '150px',
      cell: ({ last_event_at }) =>
        last_event_at ? (
          <Ago at={last_event_at} className="truncate text-soft" />
        ) : (
          <span className="text-faint">{t('never')}</span>
        ),
    },
    {
      id: 'error',
      header: t('error'),
      wide: true,
      width: 'minmax(140px, 2fr)',
      cell: ({ state, last_error }) =>
        state === 'failing' && last_error ? <span className="truncate text-danger">{last_error}</span> : null,
    },
    {
      id: 'menu',
      header: ui('more_actions'),
      hideHeader: true,
      width: '48px',
      align: 'end',
      cell: (trigger) => (
        <Menu items={getItems(trigger)}>
          <IconButton
            size="small"
            tooltip={false}
            label={ui('actions_for', { name: trigger.workflow_name })}
            icon={<Ellipsis aria-hidden />}
          />
        </Menu>
      ),
    },
  ];
}

/** The triggers that start runs, and whether they work. */
export function TriggersPage() {
  const t = useTriggersTexts();
  const query = useTriggers();
  const looks = useNodeLooks();
  const getItems = useActions();
  const [words, setWords] = useState('');
  const [state, setState] = useState<TriggerState>();
  const [open, setOpen] = useState<string>();
  const getTitle = (type: string) => looks.get(type)?.title ?? type;
  const columns = useColumns({ getTitle, getItems });
  const all = query.data;
  const rows = useMemo(() => {
    const found = (all ?? []).filter((trigger) => !state || trigger.state === state);
    return bestMatches(found, words, ({ workflow_name, type }) => [workflow_name, type]);
  }, [all, state, words]);
  const opened = all?.find(({ id }) => id === open);
  return (
    <Page
      fill
      title={t('title')}
      badge={all ? <Count value={all.length} /> : null}
      actions={<Alerts />}
      toolbar={
        all && all.length > 0 ? (
          <>
            <PageSearch label={t('search')} value={words} onChange={setWords} />
            <FilterSelect
              label={t('state')}
              any={t('any_state')}
              value={state}
              values={STATES}
              getLabel={(value) => t(`state_${value}`)}
              onChange={setState}
            />
          </>
        ) : null
      }
    >
      {query.isPending ? (
        <SkeletonRows rows={10} />
      ) : query.isLoadingError ? (
        <LoadFailed error={query.error} onRetry={() => void query.refetch()} />
      ) : query.data.length === 0 ? (
        <EmptyState
          icon={<Radio aria-hidden />}
          title={t('none')}
          actions={
            <Link to="/" className={buttonStyle({ tone: 'primary' })}>
              <Workflow aria-hidden />
              {t('to_workflows')}
            </Link>
          }
        >
          {t('none_hint')}
        </EmptyState>
      ) : rows.length === 0 ? (
        <NothingFound
          icon={<Radio aria-hidden />}
          title={t('none_found')}
          words={words}
          onShowAll={() => {
            setWords('');
            setState(undefined);
          }}
        />
      ) : (
        <VirtualTable
          label={t('title')}
          columns={columns}
          rows={rows}
          rowKey={({ id }) => id}
          onOpen={({ id }) => setOpen(id)}
          activeKey={open}
          rowHeight={42}
        />
      )}
      <Sheet
        open={opened !== undefined}
        onOpenChange={() => setOpen(undefined)}
        title={opened?.workflow_name ?? ''}
        description={opened ? getTitle(opened.type) : undefined}
      >
        {opened ? <TriggerDetail trigger={opened} /> : null}
      </Sheet>
    </Page>
  );
}
