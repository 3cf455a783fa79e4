import {
  type DragTarget,
  dragAndDropFeature,
  hotkeysCoreFeature,
  type ItemInstance,
  selectionFeature,
  syncDataLoaderFeature,
} from '@headless-tree/core';
import { useTree } from '@headless-tree/react';
import { clsx } from 'clsx';
import { ChevronRight, Ellipsis, Folder, FolderOpen } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useTranslations } from 'use-intl';
import { type FolderNode, type Folders, folderPath, isWithin } from '../../../data/folders.ts';
import { IconButton } from '../../../ui/actions/icon-button.tsx';
import { Menu, type MenuItem } from '../../../ui/actions/menu.tsx';
import { SharedMenu } from '../../../ui/actions/shared-menu.tsx';
import { Checkbox } from '../../../ui/forms/toggles.tsx';
import { listFromLast } from '../../../ui/layout/select-column.tsx';
import type { Selection } from '../../../ui/layout/use-selection.ts';
import { carriesWorkflow, draggedWorkflow } from '../drag.ts';
import { useHomeTexts } from '../texts/use-home-texts.ts';

const ROOT = 'root';
const ROOT_NODE: FolderNode = { id: ROOT, name: '', description: null, parent_id: null, children: [] };
const INDENT = 14;

interface FolderTreeProps extends Selection {
  folders: Folders;
  current: string | undefined;
  getCount: (id: string) => number;
  getMenu: (folder: FolderNode) => MenuItem[];
  onOpen: (id: string) => void;
  onMoveFolder: (id: string, parent_id: string | null) => void;
  onMoveWorkflow: (id: string, folder_id: string) => void;
}

const targetId = (target: DragTarget<FolderNode>): string => target.item.getId();

function useFolderTree(props: FolderTreeProps) {
  const { folders, current, onOpen, onMoveFolder, onMoveWorkflow } = props;
  // The tree keeps its first configuration, so it reads the newest folders through this.
  const latest = useRef(folders);
  latest.current = folders;
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
  const byName = (ids: readonly string[]) =>
    [...ids].sort((a, b) =>
      collator.compare(latest.current.get(a)?.name ?? '', latest.current.get(b)?.name ?? ''),
    );
  const roots = () =>
    [...latest.current.values()].filter((folder) => folder.parent_id === null).map((folder) => folder.id);

  const tree = useTree<FolderNode>({
    rootItemId: ROOT,
    indent: INDENT,
    initialState: { expandedItems: folderPath(folders, current ?? null).map((folder) => folder.id) },
    getItemName: (item) => item.getItemData().name,
    isItemFolder: () => true,
    canReorder: false,
    dataLoader: {
      getItem: (id) => latest.current.get(id) ?? ROOT_NODE,
      getChildren: (id) => byName(id === ROOT ? roots() : (latest.current.get(id)?.children ?? [])),
    },
    onPrimaryAction: (item) => onOpen(item.getId()),
    canDrop: (items, target) =>
      items.every(
        (item) => targetId(target) === ROOT || !isWithin(latest.current, targetId(target), item.getId()),
      ),
    onDrop: (items, target) => {
      const parent = targetId(target) === ROOT ? null : targetId(target);
      for (const item of items) onMoveFolder(item.getId(), parent);
      // The folder that was moved there stays in sight.
      if (parent !== null) target.item.expand();
    },
    canDragForeignDragObjectOver: (transfer, target) =>
      carriesWorkflow(transfer) && targetId(target) !== ROOT,
    canDropForeignDragObject: (transfer, target) => carriesWorkflow(transfer) && targetId(target) !== ROOT,
    onDropForeignDragObject: (transfer, target) =>
      onMoveWorkflow(draggedWorkflow(transfer), targetId(target)),
    features: [syncDataLoaderFeature, selectionFeature, hotkeysCoreFeature, dragAndDropFeature],
  });
  const known = useRef(folders);
  useEffect(() => {
    tree.rebuildTree();
    // A new folder is in sight, wherever it was made.
    for (const { id, parent_id } of folders.values()) {
      if (known.current.has(id) || known.current.size === 0) continue;
      for (const above of folderPath(folders, parent_id)) tree.getItemInstance(above.id).expand();
    }
    known.current = folders;
  }, [folders, tree]);
  return tree;
}

/** The folders as a tree: arrows, typing and Enter, dragging folders and workflows, a menu on each. */
export function FolderTree(props: FolderTreeProps) {
  const t = useHomeTexts();
  const tree = useFolderTree(props);
  const getItems = (id: string): readonly MenuItem[] => {
    const folder = props.folders.get(id);
    return folder ? props.getMenu(folder) : [];
  };
  return (
    <SharedMenu getItems={getItems}>
      <div {...tree.getContainerProps(t('folders'))} className="flex flex-col outline-none">
        {tree.getItems().map((item) => (
          <FolderRow key={item.getId()} item={item} {...props} />
        ))}
      </div>
    </SharedMenu>
  );
}

function FolderRow({
  item,
  current,
  getCount,
  getMenu,
  selected,
  onSelect,
}: FolderTreeProps & { item: ItemInstance<FolderNode> }) {
  const t = useTranslations('ui');
  const folder = item.getItemData();
  const open = item.isExpanded();
  const hasChildren = folder.children.length > 0;
  const count = getCount(folder.id);
  const active = folder.id === current;
  return (
    <div
      {...item.getProps()}
      data-menu-owner={item.getId()}
      aria-current={active ? 'page' : undefined}
      // Focus that comes by Tab or a script, not by the tree's own keys.
      onFocus={() => item.setFocused()}
      className={clsx(
        'group/folder flex h-8 cursor-pointer items-center gap-1.5 rounded-m pr-1 text-left text-base outline-offset-[-2px] pointer-coarse:h-11',
        active ? 'bg-active font-medium text-text' : 'text-soft hover:bg-hover hover:text-text',
        item.isDragTarget() && 'bg-accent-tint outline-2 outline-accent',
      )}
      style={{ paddingLeft: 4 + item.getItemMeta().level * INDENT }}
    >
      {/* The arrow opens the branch, the rest of the row opens the folder; the keyboard has the arrow keys. */}
      <span
        aria-hidden
        className={clsx(
          'inline-flex size-5 items-center justify-center rounded-s hover:bg-active',
          !hasChildren && 'invisible',
        )}
        onClick={(event) => {
          event.stopPropagation();
          if (open) item.collapse();
          else item.expand();
        }}
      >
        <ChevronRight className={clsx('size-3.5 text-faint', open && 'rotate-90')} />
      </span>
      <FolderMark item={item} selected={selected} onSelect={onSelect} />
      <span className="grow truncate">{folder.name}</span>
      <span
        role="presentation"
        className="relative inline-flex h-6 min-w-6 items-center justify-end"
        onClick={(event) => event.stopPropagation()}
        onKeyDown={(event) => event.stopPropagation()}
      >
        <span className="tabular px-1 text-xs text-faint group-focus-within/folder:invisible group-hover/folder:invisible pointer-coarse:hidden">
          {count > 0 ? count : ''}
        </span>
        <span className="absolute right-0 opacity-0 group-focus-within/folder:opacity-100 group-hover/folder:opacity-100 has-[[data-state=open]]:opacity-100 pointer-coarse:static pointer-coarse:opacity-100">
          <Menu items={getMenu(folder)}>
            <IconButton
              size="small"
              tooltip={false}
              label={t('actions_for', { name: folder.name })}
              icon={<Ellipsis aria-hidden />}
            />
          </Menu>
        </span>
      </span>
    </div>
  );
}

/** The icon, with the checkbox in its place once it is of use. */
function FolderMark({ item, selected, onSelect }: Selection & { item: ItemInstance<FolderNode> }) {
  const home = useHomeTexts();
  const folder = item.getItemData();
  const choosing = selected.size > 0;
  return (
    <span
      role="presentation"
      className="relative inline-flex size-4 shrink-0"
      onClick={(event) => event.stopPropagation()}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <span
        className={clsx(
          'group-focus-within/folder:invisible group-hover/folder:invisible',
          choosing && 'invisible',
        )}
      >
        {item.isExpanded() && folder.children.length > 0 ? (
          <FolderOpen className="size-4 text-faint" aria-hidden />
        ) : (
          <Folder className="size-4 text-faint" aria-hidden />
        )}
      </span>
      <Checkbox
        hideLabel
        className={clsx(
          'absolute inset-0',
          !choosing && 'opacity-0 group-focus-within/folder:opacity-100 group-hover/folder:opacity-100',
        )}
        label={home('select_folder', { name: folder.name })}
        checked={selected.has(folder.id)}
        onChange={(on, isShift) => {
          const shown = item.getTree().getItems();
          const ids = shown.map((each) => each.getId());
          onSelect(on && isShift ? listFromLast(ids, selected, folder.id) : [folder.id], on);
        }}
      />
    </span>
  );
}
