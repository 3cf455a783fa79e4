import type { WorkflowSummary } from '@millrace/contracts';
import { exportWorkflow } from '@millrace/contracts';
import { buildEndpointUrl } from '@millrace/contracts/client';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  Activity,
  Copy,
  Download,
  FolderInput,
  LayoutTemplate,
  NotebookPen,
  Pencil,
  Pin,
  PinOff,
  RotateCcw,
  Share2,
  SquareArrowOutUpRight,
  Trash2,
} from 'lucide-react';
import { useMemo } from 'react';
import { useTranslations } from 'use-intl';
import { download } from '../../data/download.ts';
import { useMoveWorkflow, useScheduleDeletion } from '../../data/folders.ts';
import { useTogglePin, useWorkflowPins } from '../../data/workflow-pins.ts';
import { DRAFT, useDeleteWorkflow, useDuplicateWorkflow, workflowUsesQuery } from '../../data/workflows.ts';
import { useLeaveMenu } from '../../features/sharing/use-leave-menu.tsx';
import type { MenuItem } from '../../ui/actions/menu.tsx';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { toast } from '../../ui/overlays/toast.ts';
import type { OpenDialog } from './open-dialog.ts';
import { useHomeTexts } from './texts/use-home-texts.ts';

const failed = (error: unknown): void => toast.failed(error instanceof Error ? error.message : String(error));

/** Moving, deleting and restoring, each with the way back. */
export function useWorkflowMoves() {
  const t = useHomeTexts();
  const ui = useTranslations('ui');
  const { mutateAsync: move } = useMoveWorkflow();
  const { mutateAsync: schedule } = useScheduleDeletion();
  return useMemo(() => {
    const undo = (run: () => Promise<unknown>) => ({
      label: ui('undo'),
      run: () => void run().catch(failed),
    });
    return {
      move: (workflow: WorkflowSummary, folder_id: string | null, place: string) => {
        if (workflow.folder_id === folder_id) return;
        const { id, folder_id: before } = workflow;
        move({ id, folder_id }).then(
          () =>
            toast.done(t('moved', { name: workflow.name, place }), {
              undo: undo(() => move({ id, folder_id: before })),
            }),
          failed,
        );
      },
      schedule: ({ id, name, folder_id }: WorkflowSummary) => {
        const restore = async () => {
          await schedule({ id, scheduled: false });
          if (folder_id) await move({ id, folder_id });
        };
        schedule({ id, scheduled: true }).then(
          () => toast.done(t('scheduled', { name }), { undo: undo(restore) }),
          failed,
        );
      },
      restore: ({ id, name }: WorkflowSummary) => {
        schedule({ id, scheduled: false }).then(
          () => toast.done(t('restored', { name }), { undo: undo(() => schedule({ id, scheduled: true })) }),
          failed,
        );
      },
    };
  }, [move, schedule, t, ui]);
}

/** Deletes a workflow without a way back, once the person has read what calls it. */
function useFinalDeletion() {
  const t = useHomeTexts();
  const client = useQueryClient();
  const { mutateAsync: remove } = useDeleteWorkflow();
  return async ({ id, name }: WorkflowSummary) => {
    // Unknown callers are no reason to refuse the question.
    const uses = await client.fetchQuery(workflowUsesQuery(id)).catch(() => []);
    const callers = new Set(uses.map((use) => use.workflow_name));
    const names = [...callers].slice(0, 3).join(', ');
    const sure = await confirm({
      title: t('delete_title', { name }),
      body:
        callers.size === 0
          ? t('delete_body')
          : `${t('delete_body')} ${t('delete_callers', { count: callers.size, names })}`,
      action: t('delete_now'),
    });
    if (sure) await remove(id).then(() => toast.done(t('deleted', { name })), failed);
  };
}

/** Duplicates a workflow, and offers to open the copy. */
function useDuplication() {
  const t = useHomeTexts();
  const navigate = useNavigate();
  const { mutateAsync: duplicate } = useDuplicateWorkflow();
  return ({ id, name }: WorkflowSummary) =>
    duplicate({ id }).then(
      (made) =>
        toast.done(t('duplicated', { name }), {
          action: {
            label: t('open'),
            run: () => void navigate({ to: '/workflows/$id', params: { id: made.id } }),
          },
        }),
      failed,
    );
}

const saveWorkflow = ({ id, name }: WorkflowSummary): Promise<void> =>
  download(buildEndpointUrl(exportWorkflow, { params: { id }, query: DRAFT }), `${name}.json`).catch(failed);

/** The menu of a workflow, the same on its button, on right click and after a long press. */
export function useWorkflowMenu(
  show: (dialog: OpenDialog) => void,
): (workflow: WorkflowSummary) => MenuItem[] {
  const t = useHomeTexts();
  const navigate = useNavigate();
  const ui = useTranslations('ui');
  const moves = useWorkflowMoves();
  const deleteNow = useFinalDeletion();
  const duplicate = useDuplication();
  const pinned = useWorkflowPins();
  const togglePin = useTogglePin(failed);
  const getLeaveMenu = useLeaveMenu('workflow');

  const itemsInDeletionArea = (workflow: WorkflowSummary): MenuItem[] => [
    { label: t('restore'), icon: <RotateCcw aria-hidden />, onSelect: () => moves.restore(workflow) },
    { kind: 'separator' },
    {
      label: t('delete_now'),
      icon: <Trash2 aria-hidden />,
      tone: 'danger',
      onSelect: () => void deleteNow(workflow),
    },
  ];
  const itemsOfReceiver = (workflow: WorkflowSummary): MenuItem[] => {
    const leave = getLeaveMenu(workflow);
    return leave.length === 0 ? [] : [{ kind: 'separator' }, ...leave];
  };
  const itemsOfOwner = (workflow: WorkflowSummary): MenuItem[] => [
    { label: t('share'), icon: <Share2 aria-hidden />, onSelect: () => show({ kind: 'share', workflow }) },
    { kind: 'separator' },
    {
      label: t('schedule_deletion'),
      icon: <Trash2 aria-hidden />,
      tone: 'danger',
      onSelect: () => moves.schedule(workflow),
    },
  ];

  return (workflow) => {
    if (workflow.scheduled_for_deletion !== null) return itemsInDeletionArea(workflow);
    const isPinned = pinned.includes(workflow.id);
    return [
      {
        label: t('open'),
        icon: <SquareArrowOutUpRight aria-hidden />,
        onSelect: () => void navigate({ to: '/workflows/$id', params: { id: workflow.id } }),
      },
      {
        label: t('show_runs'),
        icon: <Activity aria-hidden />,
        onSelect: () => void navigate({ to: '/runs', search: { workflow: workflow.id } }),
      },
      {
        label: isPinned ? ui('unpin') : ui('pin'),
        icon: isPinned ? <PinOff aria-hidden /> : <Pin aria-hidden />,
        onSelect: () => togglePin(workflow.id),
      },
      { kind: 'separator' },
      {
        label: t('settings'),
        icon: <Pencil aria-hidden />,
        onSelect: () => show({ kind: 'settings', workflow }),
      },
      {
        label: t('analysis_document'),
        icon: <NotebookPen aria-hidden />,
        onSelect: () => show({ kind: 'analysis_document', workflow }),
      },
      { label: t('duplicate'), icon: <Copy aria-hidden />, onSelect: () => void duplicate(workflow) },
      {
        label: t('move_to'),
        icon: <FolderInput aria-hidden />,
        onSelect: () => show({ kind: 'move', workflow }),
      },
      { label: t('export'), icon: <Download aria-hidden />, onSelect: () => void saveWorkflow(workflow) },
      {
        label: t('save_as_template'),
        icon: <LayoutTemplate aria-hidden />,
        onSelect: () => show({ kind: 'template', workflow }),
      },
      ...(workflow.access === 'owner' ? itemsOfOwner(workflow) : itemsOfReceiver(workflow)),
    ];
  };
}
