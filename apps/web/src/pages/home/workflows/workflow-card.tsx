import type { WorkflowSummary } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { Pin } from 'lucide-react';
import { memo } from 'react';
import { useTranslations } from 'use-intl';
import type { Folders } from '../../../data/folders.ts';
import { useTogglePin } from '../../../data/workflow-pins.ts';
import { IconButton } from '../../../ui/actions/icon-button.tsx';
import { SharedMenuButton } from '../../../ui/actions/shared-menu.tsx';
import { Ago } from '../../../ui/display/time.tsx';
import { Checkbox } from '../../../ui/forms/toggles.tsx';
import { useNodeLooks, WorkflowGlyph } from '../../../ui/graph/workflow-glyph.tsx';
import { showFailure } from '../../../ui/overlays/toast.ts';
import { WORKFLOW_DRAG } from '../drag.ts';
import { useHomeTexts } from '../texts/use-home-texts.ts';
import { RestoreButton } from './restore-button.tsx';
import { FolderName, WorkflowBadges } from './workflow-facts.tsx';

export const CARD_HEIGHT = 118;

interface WorkflowCardProps {
  workflow: WorkflowSummary;
  pinned: boolean;
  ticked: boolean;
  /** Some card is ticked: the checkboxes of all are shown. */
  choosing: boolean;
  onTick: (id: string, on: boolean, isShift: boolean) => void;
  /** Given where the list mixes folders. */
  folders?: Folders | undefined;
}

/** Stands inside a `SharedMenu`. Kept as it is while neither workflow nor folders change. */
export const WorkflowCard = memo(function WorkflowCard(card: WorkflowCardProps) {
  const { workflow, pinned, folders } = card;
  const t = useHomeTexts();
  const ui = useTranslations('ui');
  const togglePin = useTogglePin(showFailure);
  const looks = useNodeLooks();
  const trigger = looks.get(workflow.first_node_type ?? '')?.title;
  const deleted = workflow.scheduled_for_deletion !== null;
  return (
    <article
      data-menu-owner={workflow.id}
      draggable
      onDragStart={(event) => {
        event.dataTransfer.setData(WORKFLOW_DRAG, workflow.id);
        event.dataTransfer.effectAllowed = 'move';
      }}
      className={clsx(
        'group/card relative flex h-full flex-col rounded-l border border-line bg-surface p-3 shadow-s transition-[border-color,box-shadow] duration-[var(--duration)] hover:border-line-strong hover:shadow-m dark:bg-raised/40',
        deleted && 'opacity-85',
      )}
    >
      <div className="flex items-start gap-2.5">
        <CardMark {...card} />
        <div className="min-w-0 grow">
          <h2 className="truncate text-base leading-7 font-semibold">
            <Link
              to="/workflows/$id"
              params={{ id: workflow.id }}
              draggable={false}
              className="after:absolute after:inset-0 after:rounded-l focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-focus"
            >
              {workflow.name}
            </Link>
          </h2>
        </div>
        <span className="relative z-10 -mt-0.5 -mr-1 flex">
          {deleted ? null : (
            <IconButton
              size="small"
              tooltip={false}
              title={pinned ? ui('unpin') : ui('pin')}
              label={pinned ? ui('unpin') : ui('pin')}
              aria-pressed={pinned}
              icon={<Pin className={pinned ? 'fill-current text-accent-text' : ''} aria-hidden />}
              className={clsx(
                !pinned &&
                  'opacity-0 group-focus-within/card:opacity-100 group-hover/card:opacity-100 pointer-coarse:hidden',
              )}
              onClick={() => togglePin(workflow.id)}
            />
          )}
          <SharedMenuButton label={ui('actions_for', { name: workflow.name })} />
        </span>
      </div>
      <p className="mt-1 line-clamp-2 min-h-9 text-sm text-soft">
        {workflow.description || (
          <span className="text-faint">{workflow.first_node_type === null ? t('no_trigger') : trigger}</span>
        )}
      </p>
      <div className="mt-auto flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 pt-1">
        <span className="shrink-0 text-sm text-faint">
          <Ago at={workflow.updated_at} />
        </span>
        <WorkflowBadges workflow={workflow} />
        {folders ? <FolderName folders={folders} id={workflow.folder_id} /> : null}
        {deleted ? (
          <span className="relative z-10 ml-auto shrink-0">
            <RestoreButton workflow={workflow} />
          </span>
        ) : null}
      </div>
    </article>
  );
});

/** The icon, with the checkbox in its place once it is of use. */
function CardMark({ workflow, ticked, choosing, onTick }: WorkflowCardProps) {
  const t = useHomeTexts();
  return (
    <span className="relative z-10 inline-flex size-7 shrink-0 items-center justify-center">
      <span
        className={
          choosing
            ? 'invisible'
            : 'pointer-fine:group-focus-within/card:invisible pointer-fine:group-hover/card:invisible'
        }
      >
        <WorkflowGlyph type={workflow.first_node_type} />
      </span>
      <Checkbox
        hideLabel
        className={clsx(
          'absolute inset-0 justify-center',
          !choosing &&
            'opacity-0 group-focus-within/card:opacity-100 group-hover/card:opacity-100 pointer-coarse:hidden',
        )}
        label={t('select_workflow', { name: workflow.name })}
        checked={ticked}
        onChange={(on, isShift) => onTick(workflow.id, on, isShift)}
      />
    </span>
  );
}
