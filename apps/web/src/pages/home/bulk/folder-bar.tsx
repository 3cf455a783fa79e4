import { FolderInput, Trash2 } from 'lucide-react';
import { useState } from 'react';
import {
  changeFolder,
  type FolderNode,
  type Folders,
  folderPath,
  isWithin,
  removeFolder,
} from '../../../data/folders.ts';
import { IconButton } from '../../../ui/actions/icon-button.tsx';
import { SelectionToolbar } from '../../../ui/layout/selection-toolbar.tsx';
import type { Selection } from '../../../ui/layout/use-selection.ts';
import { confirm } from '../../../ui/overlays/confirm-store.ts';
import { MoveDialog } from '../folders/move-dialog.tsx';
import { useHomeTexts } from '../texts/use-home-texts.ts';
import { useBulkChange } from './use-bulk-change.ts';

interface FolderBarProps extends Selection {
  folders: Folders;
  /** The place that is shown may be within one of them. */
  onDeleted: (ids: readonly string[]) => void;
}

/** The ticked folders without those that go with another one that is ticked. */
export function outermost(folders: Folders, selected: ReadonlySet<string>): FolderNode[] {
  return [...folders.values()].filter(
    ({ id, parent_id }) =>
      selected.has(id) && !folderPath(folders, parent_id).some((above) => selected.has(above.id)),
  );
}

/** Actions on the ticked folders. */
export function FolderBar({ folders, selected, onSelect, onDeleted }: FolderBarProps) {
  const t = useHomeTexts();
  const { finished, run } = useBulkChange();
  const [isMoving, setMoving] = useState(false);
  const chosen = outermost(folders, selected);
  if (chosen.length === 0) return null;
  const count = [...folders.keys()].filter((id) => selected.has(id)).length;
  const clear = () => onSelect([...selected], false);
  const move = async (parent_id: string | null) => {
    await run({
      items: chosen.filter((folder) => folder.parent_id !== parent_id),
      change: ({ id }) => changeFolder({ id, parent_id }),
      getDone: (moved) =>
        t('folders_moved', { count: moved, place: folders.get(parent_id ?? '')?.name ?? t('no_folder') }),
      undo: ({ id, parent_id: before }) => changeFolder({ id, parent_id: before }),
    });
    clear();
  };
  const remove = async () => {
    const sure = await confirm({
      title: t('delete_folders_title', { count }),
      body: t('delete_folders_body'),
      action: t('delete_folders'),
    });
    if (!sure) return;
    await run({
      items: chosen,
      change: ({ id }) => removeFolder(id),
      getDone: (deleted) => t('folders_deleted', { count: deleted }),
    });
    onDeleted(chosen.map(({ id }) => id));
    clear();
  };
  return (
    <SelectionToolbar inline count={count} onClear={clear} finished={finished}>
      <span className="grow" />
      <IconButton
        size="small"
        label={t('move_to')}
        icon={<FolderInput aria-hidden />}
        onClick={() => setMoving(true)}
      />
      <IconButton
        size="small"
        label={t('delete_folders')}
        icon={<Trash2 aria-hidden />}
        onClick={() => void remove()}
      />
      {isMoving ? (
        <MoveDialog
          title={t('move_folders_title', { count })}
          folders={folders}
          current={undefined}
          isBlocked={(id) => chosen.some((folder) => isWithin(folders, id, folder.id))}
          onMove={(parent_id) => void move(parent_id)}
          onClose={() => setMoving(false)}
        />
      ) : null}
    </SelectionToolbar>
  );
}
