import type { WorkflowSummary } from '@millrace/contracts';
import { Folder, Search, Trash2, Upload, Users, Workflow } from 'lucide-react';
import { useCallback, useMemo, useRef } from 'react';
import { useTranslations } from 'use-intl';
import type { Folders } from '../../../data/folders.ts';
import { useWorkflowPins } from '../../../data/workflow-pins.ts';
import type { HomeSearch } from '../../../search.ts';
import { usePreferences } from '../../../session/preferences.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { SharedMenu } from '../../../ui/actions/shared-menu.tsx';
import { EmptyState } from '../../../ui/display/empty-state.tsx';
import { Skeleton } from '../../../ui/display/skeleton.tsx';
import { listFromLast } from '../../../ui/layout/select-column.tsx';
import { type Selection, useSelection } from '../../../ui/layout/use-selection.ts';
import { VirtualGrid } from '../../../ui/layout/virtual-list.tsx';
import { useSelectItem } from '../bulk/use-select-item.tsx';
import { WorkflowBar } from '../bulk/workflow-bar.tsx';
import type { OpenDialog } from '../open-dialog.ts';
import { useHomeTexts } from '../texts/use-home-texts.ts';
import { useWorkflowMenu } from '../use-workflow-actions.tsx';
import { splitPinned } from './visible.ts';
import { CARD_HEIGHT, WorkflowCard } from './workflow-card.tsx';
import { WorkflowList } from './workflow-list.tsx';

interface WorkflowAreaProps {
  workflows: readonly WorkflowSummary[];
  /** All workflows of the person, to tell "none here" from "none at all". */
  total: number;
  search: HomeSearch;
  folders: Folders;
  onChange: (part: Partial<HomeSearch>) => void;
  onClear: () => void;
  onOpen: (dialog: OpenDialog) => void;
  onImport: () => void;
}

export function CardSkeletons() {
  const t = useTranslations('ui');
  return (
    <div
      role="status"
      aria-label={t('loading')}
      className="grid grid-cols-[repeat(auto-fill,minmax(260px,1fr))] gap-3 p-4 sm:p-5"
    >
      {Array.from({ length: 12 }, (_, index) => (
        <div
          key={index}
          className="rounded-l border border-line p-3"
          style={{ height: CARD_HEIGHT, opacity: 1 - index / 14 }}
        >
          <div className="flex items-center gap-2.5">
            <Skeleton className="size-7" />
            <Skeleton className="h-3.5 w-1/2" />
          </div>
          <Skeleton className="mt-4 h-3 w-4/5" />
          <Skeleton className="mt-6 h-3 w-1/4" />
        </div>
      ))}
    </div>
  );
}

/** The contents of the chosen place: cards or a list, or what to do when it is empty. */
export function WorkflowArea(props: WorkflowAreaProps) {
  const { workflows, search, folders, onChange, onOpen } = props;
  const view = usePreferences((state) => state.workflowView);
  const pins = useWorkflowPins();
  const pinnedIds = useMemo(() => new Set(pins), [pins]);
  const getMenu = useWorkflowMenu(onOpen);
  const { selected, onSelect } = useSelection();
  const getSelectItem = useSelectItem({ selected, onSelect });
  const getItems = (id: string) => {
    const workflow = workflows.find((candidate) => candidate.id === id);
    return workflow ? [getSelectItem(id), ...getMenu(workflow)] : [];
  };
  if (workflows.length === 0) return <NothingHere {...props} />;
  return (
    <SharedMenu getItems={getItems}>
      {view === 'list' ? (
        <WorkflowList
          selected={selected}
          onSelect={onSelect}
          workflows={workflows}
          pinned={pinnedIds}
          folders={folders}
          sort={search.sort ?? 'updated_at'}
          onSort={(sort) => onChange({ sort })}
        />
      ) : (
        <Cards {...props} pins={pins} selected={selected} onSelect={onSelect} />
      )}
      <WorkflowBar workflows={workflows} folders={folders} selected={selected} onSelect={onSelect} />
    </SharedMenu>
  );
}

interface CardsProps extends WorkflowAreaProps, Selection {
  pins: readonly string[];
}

function Cards({ workflows, search, folders, pins, selected, onSelect }: CardsProps) {
  const t = useHomeTexts();
  const ui = useTranslations('ui');
  const split =
    search.q || search.show === 'deleted'
      ? { pinned: [], rest: [...workflows] }
      : splitPinned(workflows, pins);
  const order = [...split.pinned, ...split.rest].map(({ id }) => id);
  const latest = useRef({ order, selected });
  latest.current = { order, selected };
  // The same function for as long as the page is open, so that ticking one card renders only this one.
  const tick = useCallback(
    (id: string, on: boolean, isShift: boolean) => {
      const { order: ids, selected: before } = latest.current;
      onSelect(on && isShift ? listFromLast(ids, before, id) : [id], on);
    },
    [onSelect],
  );
  const mixed = !search.folder || search.q !== undefined;
  const card = (workflow: WorkflowSummary) => (
    <WorkflowCard
      workflow={workflow}
      pinned={pins.includes(workflow.id)}
      ticked={selected.has(workflow.id)}
      choosing={selected.size > 0}
      onTick={tick}
      folders={mixed ? folders : undefined}
    />
  );
  const pinned = split.pinned.length > 0;
  return (
    <VirtualGrid
      className="p-4 sm:p-5"
      label={t('workflows')}
      items={split.rest}
      itemKey={(workflow) => workflow.id}
      render={card}
      itemHeight={CARD_HEIGHT}
      gap={12}
      minWidth={260}
      header={
        pinned ? (
          <section className="pb-2">
            <h2 className="pb-2 text-sm font-medium text-faint">{ui('pinned')}</h2>
            <ul className="grid grid-cols-[repeat(auto-fill,minmax(260px,1fr))] gap-3">
              {split.pinned.map((workflow) => (
                <li key={workflow.id} style={{ height: CARD_HEIGHT }}>
                  {card(workflow)}
                </li>
              ))}
            </ul>
            {split.rest.length > 0 ? (
              <h2 className="pt-5 text-sm font-medium text-faint">{t('others')}</h2>
            ) : null}
          </section>
        ) : null
      }
    />
  );
}

function NothingHere({ total, search, onClear, onOpen, onImport }: WorkflowAreaProps) {
  const t = useHomeTexts();
  if (search.q) {
    return (
      <EmptyState
        icon={<Search aria-hidden />}
        title={t('none_found', { words: search.q })}
        actions={<Button onClick={onClear}>{t('clear_search')}</Button>}
      >
        {t('none_found_hint')}
      </EmptyState>
    );
  }
  if (search.show === 'deleted') {
    return (
      <EmptyState icon={<Trash2 aria-hidden />} title={t('none_deleted')}>
        {t('none_deleted_hint')}
      </EmptyState>
    );
  }
  if (search.show === 'shared') {
    return (
      <EmptyState icon={<Users aria-hidden />} title={t('none_shared')}>
        {t('none_shared_hint')}
      </EmptyState>
    );
  }
  const create = (
    <>
      <Button tone="primary" onClick={() => onOpen({ kind: 'new' })}>
        {t('new_workflow')}
      </Button>
      <Button onClick={onImport}>
        <Upload aria-hidden />
        {t('import')}
      </Button>
    </>
  );
  if (search.folder && total > 0) {
    return (
      <EmptyState icon={<Folder aria-hidden />} title={t('none_in_folder')} actions={create}>
        {t('none_in_folder_hint')}
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={<Workflow aria-hidden />} title={t('none')} actions={create}>
      <p>{t('none_hint')}</p>
      <ol className="mx-auto mt-4 flex max-w-xs flex-col gap-1.5 text-left">
        {(['step_trigger', 'step_nodes', 'step_run'] as const).map((step, index) => (
          <li key={step} className="flex gap-2.5">
            <span className="tabular inline-flex size-5 shrink-0 items-center justify-center rounded-full bg-sunken text-xs font-semibold text-soft">
              {index + 1}
            </span>
            {t(step)}
          </li>
        ))}
      </ol>
    </EmptyState>
  );
}
