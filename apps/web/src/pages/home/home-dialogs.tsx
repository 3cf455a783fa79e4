import type { Folders } from '../../data/folders.ts';
import { ShareDialog } from '../../features/sharing/share-dialog.tsx';
import { AnalysisDocumentDialog } from '../../features/workflow/analysis-document-dialog.tsx';
import { SettingsDialog } from '../../features/workflow/settings-dialog.tsx';
import { NewTemplate } from '../templates/new-template.tsx';
import { MoveDialog } from './folders/move-dialog.tsx';
import { ReportDialog } from './import/report-dialog.tsx';
import { NewWorkflowDialog } from './new-workflow-dialog.tsx';
import type { OpenDialog } from './open-dialog.ts';
import { useHomeTexts } from './texts/use-home-texts.ts';
import { useWorkflowMoves } from './use-workflow-actions.tsx';

interface HomeDialogsProps {
  open: OpenDialog | undefined;
  folders: Folders;
  folder: string | undefined;
  onClose: () => void;
}

export function HomeDialogs({ open, folders, folder, onClose }: HomeDialogsProps) {
  const t = useHomeTexts();
  const moves = useWorkflowMoves();
  if (!open) return null;
  switch (open.kind) {
    case 'new':
      return <NewWorkflowDialog folder={folder} onClose={onClose} />;
    case 'report':
      return <ReportDialog report={open.report} onClose={onClose} />;
    case 'settings':
      return <SettingsDialog id={open.workflow.id} onClose={onClose} />;
    case 'analysis_document':
      return <AnalysisDocumentDialog id={open.workflow.id} name={open.workflow.name} onClose={onClose} />;
    case 'move':
      return (
        <MoveDialog
          title={t('move_title', { name: open.workflow.name })}
          folders={folders}
          current={open.workflow.folder_id}
          onMove={(target) =>
            moves.move(open.workflow, target, target ? (folders.get(target)?.name ?? '') : t('no_folder'))
          }
          onClose={onClose}
        />
      );
    case 'share':
      return (
        <ShareDialog kind="workflow" id={open.workflow.id} name={open.workflow.name} onClose={onClose} />
      );
    case 'template':
      return <NewTemplate workflow={open.workflow} onClose={onClose} />;
    default:
      return open satisfies never;
  }
}
