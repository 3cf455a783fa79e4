import { clsx } from 'clsx';
import { Download, FolderInput, FolderPlus, Layers, Pencil, Trash2, Users } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import {
  downloadFolder,
  type FolderNode,
  type Folders,
  isWithin,
  useDeleteFolder,
  useUpdateFolder,
} from '../../../data/folders.ts';
import type { HomeSearch } from '../../../search.ts';
import { IconButton } from '../../../ui/actions/icon-button.tsx';
import type { MenuItem } from '../../../ui/actions/menu.tsx';
import { useSelection } from '../../../ui/layout/use-selection.ts';
import { confirm } from '../../../ui/overlays/confirm-store.ts';
import { showFailure, toast } from '../../../ui/overlays/toast.ts';
import { FolderBar } from '../bulk/folder-bar.tsx';
import { useSelectItem } from '../bulk/use-select-item.tsx';
import { carriesWorkflow, draggedWorkflow } from '../drag.ts';
import { useHomeTexts } from '../texts/use-home-texts.ts';
import type { Counts } from '../workflows/visible.ts';
import { FolderDialog } from './folder-dialog.tsx';
import { FolderTree } from './folder-tree.tsx';
import { MoveDialog } from './move-dialog.tsx';

type Place = Pick<HomeSearch, 'folder' | 'show'>;

interface FolderPaneProps {
  folders: Folders;
  counts: Counts;
  place: Place;
  onGo: (place: Place) => void;
  /** Null takes the workflow out of its folder. */
  onMoveWorkflow: (id: string, folder_id: string | null) => void;
  onScheduleWorkflow: (id: string) => void;
}

type Open = { kind: 'new'; parent_id: string | undefined } | { kind: 'rename' | 'move'; folder: FolderNode };

function PlaceButton({
  icon,
  label,
  count,
  active,
  onGo,
  onDrop,
}: {
  icon: ReactNode;
  label: string;
  count: number;
  active: boolean;
  onGo: () => void;
  onDrop?: (id: string) => void;
}) {
  const format = useFormatter();
  const [over, setOver] = useState(false);
  return (
    <button
      type="button"
      aria-current={active ? 'page' : undefined}
      onClick={onGo}
      onDragOver={(event) => {
        if (!onDrop || !carriesWorkflow(event.dataTransfer)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        if (!onDrop || !carriesWorkflow(event.dataTransfer)) return;
        event.preventDefault();
        onDrop(draggedWorkflow(event.dataTransfer));
      }}
      className={clsx(
        'flex h-8 w-full items-center gap-2 rounded-m px-2 text-left text-base outline-offset-[-2px] pointer-coarse:h-11 [&>svg]:size-4 [&>svg]:text-faint',
        active ? 'bg-active font-medium text-text' : 'text-soft hover:bg-hover hover:text-text',
        over && 'bg-accent-tint outline-2 outline-accent',
      )}
    >
      {icon}
      <span className="grow truncate">{label}</span>
      <span className="tabular px-1 text-xs text-faint">{count > 0 ? format.number(count) : ''}</span>
    </button>
  );
}

function useFolderMenu(
  folders: Folders,
  show: (open: Open) => void,
  place: Place,
  onGo: (place: Place) => void,
) {
  const t = useHomeTexts();
  const remove = useDeleteFolder();
  const deleteFolder = async (folder: FolderNode) => {
    const sure = await confirm({
      title: t('delete_folder_title', { name: folder.name }),
      body: t('delete_folder_body'),
      action: t('delete_folder'),
    });
    if (!sure) return;
    await remove.mutateAsync(folder.id).then(() => {
      if (place.folder && isWithin(folders, place.folder, folder.id)) onGo({});
      toast.done(t('folder_deleted', { name: folder.name }));
    }, showFailure);
  };
  return (folder: FolderNode): MenuItem[] => [
    {
      label: t('new_subfolder'),
      icon: <FolderPlus aria-hidden />,
      onSelect: () => show({ kind: 'new', parent_id: folder.id }),
    },
    { label: t('rename'), icon: <Pencil aria-hidden />, onSelect: () => show({ kind: 'rename', folder }) },
    {
      label: t('move_to'),
      icon: <FolderInput aria-hidden />,
      onSelect: () => show({ kind: 'move', folder }),
    },
    {
      label: t('download_zip'),
      icon: <Download aria-hidden />,
      onSelect: () => void downloadFolder(folder).catch(showFailure),
    },
    { kind: 'separator' },
    {
      label: t('delete_folder'),
      icon: <Trash2 aria-hidden />,
      tone: 'danger',
      onSelect: () => void deleteFolder(folder),
    },
  ];
}

/** The places of the home page: everything, what others share, the folders, what awaits deletion. */
export function FolderPane({
  folders,
  counts,
  place,
  onGo,
  onMoveWorkflow,
  onScheduleWorkflow,
}: FolderPaneProps) {
  const t = useHomeTexts();
  const ui = useTranslations('ui');
  const [open, setOpen] = useState<Open>();
  const update = useUpdateFolder();
  const getMenu = useFolderMenu(folders, setOpen, place, onGo);
  const moveFolder = (id: string, parent_id: string | null) => {
    const before = folders.get(id);
    if (!before || before.parent_id === parent_id) return;
    const to = parent_id === null ? t('no_folder') : (folders.get(parent_id)?.name ?? '');
    const back = () => void update.mutateAsync({ id, parent_id: before.parent_id }).catch(showFailure);
    update.mutateAsync({ id, parent_id }).then(
      () =>
        toast.done(t('moved', { name: before.name, place: to }), {
          undo: { label: ui('undo'), run: back },
        }),
      showFailure,
    );
  };
  const close = () => setOpen(undefined);
  return (
    <nav aria-label={t('places')} className="flex flex-col gap-px p-2">
      <PlaceButton
        icon={<Layers aria-hidden />}
        label={t('all')}
        count={counts.all}
        active={!place.folder && !place.show}
        onGo={() => onGo({})}
        onDrop={(id) => onMoveWorkflow(id, null)}
      />
      {counts.shared > 0 || place.show === 'shared' ? (
        <PlaceButton
          icon={<Users aria-hidden />}
          label={t('shared')}
          count={counts.shared}
          active={place.show === 'shared'}
          onGo={() => onGo({ show: 'shared' })}
        />
      ) : null}
      <PlaceButton
        icon={<Trash2 aria-hidden />}
        label={t('deletion_place')}
        count={counts.deleted}
        active={place.show === 'deleted'}
        onGo={() => onGo({ show: 'deleted' })}
        onDrop={onScheduleWorkflow}
      />
      <div className="flex items-center justify-between pt-3 pb-0.5 pl-2">
        <h2 className="text-xs font-medium text-faint">{t('folders')}</h2>
        <IconButton
          size="small"
          label={t('new_folder')}
          icon={<FolderPlus aria-hidden />}
          onClick={() => setOpen({ kind: 'new', parent_id: undefined })}
        />
      </div>
      {folders.size === 0 ? (
        <p className="px-2 text-sm text-faint">{t('no_folders')}</p>
      ) : (
        <FolderList
          folders={folders}
          counts={counts}
          place={place}
          onGo={onGo}
          getMenu={getMenu}
          onMoveFolder={moveFolder}
          onMoveWorkflow={onMoveWorkflow}
        />
      )}
      {open?.kind === 'new' ? <FolderDialog subject={{ parent_id: open.parent_id }} onClose={close} /> : null}
      {open?.kind === 'rename' ? <FolderDialog subject={{ folder: open.folder }} onClose={close} /> : null}
      {open?.kind === 'move' ? (
        <MoveDialog
          title={t('move_title', { name: open.folder.name })}
          folders={folders}
          current={open.folder.parent_id}
          isBlocked={(id) => isWithin(folders, id, open.folder.id)}
          onMove={(parent_id) => moveFolder(open.folder.id, parent_id)}
          onClose={close}
        />
      ) : null}
    </nav>
  );
}

interface FolderListProps
  extends Pick<FolderPaneProps, 'folders' | 'counts' | 'place' | 'onGo' | 'onMoveWorkflow'> {
  getMenu: (folder: FolderNode) => MenuItem[];
  onMoveFolder: (id: string, parent_id: string | null) => void;
}

/** The tree, with what can be done with the folders that are selected in it. */
function FolderList(props: FolderListProps) {
  const { folders, counts, place, onGo, getMenu } = props;
  const { selected, onSelect } = useSelection();
  const getSelectItem = useSelectItem({ selected, onSelect });
  const getItems = (folder: FolderNode): MenuItem[] => [getSelectItem(folder.id), ...getMenu(folder)];
  return (
    <>
      <FolderTree
        selected={selected}
        onSelect={onSelect}
        folders={folders}
        current={place.folder}
        getCount={(id) => counts.inFolder.get(id) ?? 0}
        getMenu={getItems}
        onOpen={(folder) => onGo({ folder })}
        onMoveFolder={props.onMoveFolder}
        onMoveWorkflow={props.onMoveWorkflow}
      />
      <FolderBar
        folders={folders}
        selected={selected}
        onSelect={onSelect}
        onDeleted={(ids) => {
          const { folder } = place;
          if (folder && ids.some((id) => isWithin(folders, folder, id))) onGo({});
        }}
      />
    </>
  );
}
