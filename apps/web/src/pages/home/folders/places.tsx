import type { WorkflowSummary } from '@millrace/contracts';
import { useMemo } from 'react';
import type { Folders } from '../../../data/folders.ts';
import type { HomeSearch } from '../../../search.ts';
import { useHomeTexts } from '../texts/use-home-texts.ts';
import { useWorkflowMoves } from '../use-workflow-actions.tsx';
import { countWorkflows } from '../workflows/visible.ts';
import { FolderPane } from './folder-pane.tsx';

type Place = Pick<HomeSearch, 'folder' | 'show'>;

interface PlacesProps {
  workflows: readonly WorkflowSummary[];
  folders: Folders;
  place: Place;
  onGo: (place: Place) => void;
}

/** Where workflows can be, how many are there, and where a dragged one can be dropped. */
export function Places({ workflows, folders, place, onGo }: PlacesProps) {
  const t = useHomeTexts();
  const moves = useWorkflowMoves();
  const counts = useMemo(() => countWorkflows(workflows), [workflows]);
  const byId = (id: string) => workflows.find((candidate) => candidate.id === id);
  return (
    <FolderPane
      folders={folders}
      counts={counts}
      place={place}
      onGo={onGo}
      onMoveWorkflow={(id, target) => {
        const workflow = byId(id);
        if (workflow) moves.move(workflow, target, folders.get(target ?? '')?.name ?? t('no_folder'));
      }}
      onScheduleWorkflow={(id) => {
        const workflow = byId(id);
        if (workflow) moves.schedule(workflow);
      }}
    />
  );
}
