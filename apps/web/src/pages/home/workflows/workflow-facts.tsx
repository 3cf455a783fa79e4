import type { WorkflowSummary } from '@millrace/contracts';
import { CloudUpload, Folder, Globe, Power, Trash2, Users } from 'lucide-react';
import { type Folders, folderPath } from '../../../data/folders.ts';
import { Badge } from '../../../ui/display/status-chip.tsx';
import { DateTime } from '../../../ui/display/time.tsx';
import { useHomeTexts } from '../texts/use-home-texts.ts';

/** Small facts that set a workflow apart: whose it is, who may call it, when it goes. */
export function WorkflowBadges({ workflow }: { workflow: WorkflowSummary }) {
  const t = useHomeTexts();
  return (
    <>
      {workflow.scheduled_for_deletion ? (
        <Badge tone="warning">
          <Trash2 aria-hidden />
          {t('since')} <DateTime at={workflow.scheduled_for_deletion} />
        </Badge>
      ) : null}
      {workflow.active ? null : (
        <Badge tone="neutral">
          <Power aria-hidden />
          {t('switched_off')}
        </Badge>
      )}
      {workflow.published && !workflow.unpublished_changes ? null : (
        <Badge tone={workflow.published ? 'warning' : 'neutral'}>
          <CloudUpload aria-hidden />
          {workflow.published ? t('unpublished_changes') : t('never_published')}
        </Badge>
      )}
      {workflow.access === 'collaborator' ? (
        <Badge tone="info">
          <Users aria-hidden />
          {workflow.shared_by_team ?? workflow.owner_name}
        </Badge>
      ) : null}
      {workflow.auth_type === 'anonymous' ? (
        <Badge tone="warning">
          <Globe aria-hidden />
          {t('anyone_may_call')}
        </Badge>
      ) : null}
    </>
  );
}

/** The folder of a workflow, for lists that mix folders. */
export function FolderName({ folders, id }: { folders: Folders; id: string | null }) {
  const path = folderPath(folders, id);
  if (path.length === 0) return null;
  return (
    <span className="inline-flex min-w-0 items-center gap-1 text-sm text-faint">
      <Folder className="size-3.5 shrink-0" aria-hidden />
      <span className="truncate">{path.map((folder) => folder.name).join(' / ')}</span>
    </span>
  );
}
