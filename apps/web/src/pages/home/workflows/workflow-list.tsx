import type { WorkflowSummary } from '@millrace/contracts';
import { Link, useNavigate } from '@tanstack/react-router';
import { Pin } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslations } from 'use-intl';
import type { Folders } from '../../../data/folders.ts';
import { useIsPhone } from '../../../lib/use-media.ts';
import { SharedMenuButton } from '../../../ui/actions/shared-menu.tsx';
import { Ago } from '../../../ui/display/time.tsx';
import { useNodeLooks, WorkflowGlyph } from '../../../ui/graph/workflow-glyph.tsx';
import type { Column } from '../../../ui/layout/data-table.tsx';
import { selectColumn } from '../../../ui/layout/select-column.tsx';
import type { Selection } from '../../../ui/layout/use-selection.ts';
import { VirtualTable } from '../../../ui/layout/virtual-table.tsx';
import { WORKFLOW_DRAG } from '../drag.ts';
import { useHomeTexts } from '../texts/use-home-texts.ts';
import { RestoreButton } from './restore-button.tsx';
import type { WorkflowSort } from './visible.ts';
import { FolderName, WorkflowBadges } from './workflow-facts.tsx';

interface WorkflowListProps extends Selection {
  workflows: readonly WorkflowSummary[];
  pinned: ReadonlySet<string>;
  folders: Folders;
  sort: WorkflowSort;
  onSort: (sort: WorkflowSort) => void;
}

function useColumns(list: Omit<WorkflowListProps, 'workflows' | 'sort' | 'onSort'>) {
  const { pinned, folders, selected, onSelect } = list;
  const t = useHomeTexts();
  const ui = useTranslations('ui');
  const looks = useNodeLooks();
  return useMemo<Column<WorkflowSummary>[]>(
    () => [
      selectColumn({
        selected,
        onSelect,
        header: ui('select_all'),
        getId: (workflow) => workflow.id,
        getLabel: (workflow) => t('select_workflow', { name: workflow.name }),
      }),
      {
        id: 'name',
        header: ui('name'),
        width: 'minmax(180px, 3fr)',
        sortable: true,
        cell: (workflow) => (
          <>
            <WorkflowGlyph type={workflow.first_node_type} size="small" />
            <Link
              to="/workflows/$id"
              params={{ id: workflow.id }}
              className="max-w-[75%] shrink-0 truncate font-medium hover:underline max-lg:max-w-none max-lg:shrink"
            >
              {workflow.name}
            </Link>
            {pinned.has(workflow.id) ? (
              <Pin className="size-3 shrink-0 fill-current text-accent-text" aria-label={ui('pinned')} />
            ) : null}
            <span className="hidden min-w-0 shrink items-center gap-2 overflow-hidden lg:flex">
              <WorkflowBadges workflow={workflow} />
              <span className="truncate text-sm text-faint">{workflow.description}</span>
            </span>
          </>
        ),
      },
      {
        id: 'trigger',
        header: t('trigger'),
        wide: true,
        width: 'minmax(110px, 1fr)',
        cell: (workflow) => (
          <span className="truncate text-soft">
            {looks.get(workflow.first_node_type ?? '')?.title ?? '–'}
          </span>
        ),
      },
      {
        id: 'folder',
        header: t('folder'),
        wide: true,
        width: 'minmax(100px, 1fr)',
        cell: (workflow) =>
          workflow.scheduled_for_deletion === null ? (
            <FolderName folders={folders} id={workflow.folder_id} />
          ) : (
            <RestoreButton workflow={workflow} />
          ),
      },
      {
        id: 'updated_at',
        header: t('updated'),
        wide: true,
        width: '130px',
        sortable: true,
        cell: (workflow) => <Ago at={workflow.updated_at} className="truncate text-soft" />,
      },
      {
        id: 'menu',
        header: ui('more_actions'),
        hideHeader: true,
        width: '48px',
        align: 'end',
        cell: (workflow) => <SharedMenuButton label={ui('actions_for', { name: workflow.name })} />,
      },
    ],
    [t, ui, looks, pinned, folders, selected, onSelect],
  );
}

export function WorkflowList(props: WorkflowListProps) {
  const { workflows, sort, onSort } = props;
  const t = useHomeTexts();
  const navigate = useNavigate();
  const columns = useColumns(props);
  const phone = useIsPhone();
  return (
    <VirtualTable
      label={t('workflows')}
      columns={columns}
      rows={workflows}
      rowKey={(workflow) => workflow.id}
      rowHeight={phone ? 48 : 38}
      dragData={(workflow) => ({ type: WORKFLOW_DRAG, text: workflow.id })}
      onOpen={(workflow) => void navigate({ to: '/workflows/$id', params: { id: workflow.id } })}
      sort={{ by: sort, order: sort === 'name' ? 'asc' : 'desc' }}
      onSort={({ by }) => onSort(by as WorkflowSort)}
    />
  );
}
