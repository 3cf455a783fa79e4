import type { BoardSummary } from '@millrace/contracts';
import { Link, useNavigate } from '@tanstack/react-router';
import { Pencil, Share2, SquareKanban, Trash2 } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useBoards, useDeleteBoard } from '../../data/boards.ts';
import type { MenuItem } from '../../ui/actions/menu.tsx';
import type { Column } from '../../ui/layout/data-table.tsx';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { toast } from '../../ui/overlays/toast.ts';
import { menuColumn, ownerColumn, updatedColumn } from '../resources/resource-columns.tsx';
import { ResourcePage } from '../resources/resource-page.tsx';
import { ShareDialog } from '../sharing/share-dialog.tsx';
import { BoardDialog } from './board-dialog.tsx';
import { useBoardsTexts } from './texts/use-boards-texts.ts';

type Open = { kind: 'new' } | { kind: 'edit' | 'share'; board: BoardSummary };

function useMenu(show: (open: Open) => void) {
  const t = useBoardsTexts();
  const ui = useTranslations('ui');
  const { mutateAsync: remove } = useDeleteBoard();
  const deleteOne = async ({ id, name, card_count }: BoardSummary) => {
    const sure = await confirm({
      title: t('delete_title', { name }),
      body: t('delete_body', { count: card_count }),
      action: ui('delete'),
    });
    if (!sure) return;
    await remove(id).then(
      () => toast.done(t('deleted', { name })),
      (error: Error) => toast.failed(error.message),
    );
  };
  return (board: BoardSummary): MenuItem[] => [
    { label: t('edit'), icon: <Pencil aria-hidden />, onSelect: () => show({ kind: 'edit', board }) },
    { label: t('share'), icon: <Share2 aria-hidden />, onSelect: () => show({ kind: 'share', board }) },
    { kind: 'separator' },
    {
      label: ui('delete'),
      icon: <Trash2 aria-hidden />,
      tone: 'danger',
      onSelect: () => void deleteOne(board),
    },
  ];
}

function useColumns(menuOf: (board: BoardSummary) => MenuItem[]): Column<BoardSummary>[] {
  const t = useBoardsTexts();
  const ui = useTranslations('ui');
  return [
    {
      id: 'name',
      header: ui('name'),
      width: 'minmax(160px, 2fr)',
      cell: (board) => (
        <>
          <SquareKanban className="size-4 shrink-0 text-faint" aria-hidden />
          <Link to="/boards/$id" params={{ id: board.id }} className="truncate font-medium hover:underline">
            {board.name}
          </Link>
          <span className="hidden min-w-0 truncate text-sm text-faint lg:inline">{board.description}</span>
        </>
      ),
    },
    {
      id: 'cards',
      header: t('cards'),
      align: 'end',
      width: '90px',
      cell: ({ card_count }) => <span className="text-soft">{card_count}</span>,
    },
    ownerColumn(ui),
    updatedColumn(ui),
    menuColumn(ui, (board) => (board.permission === 'owner' ? menuOf(board) : [])),
  ];
}

/** Boards: cards whose moves start workflows. */
export function BoardsPage() {
  const t = useBoardsTexts();
  const navigate = useNavigate();
  const [words, setWords] = useState('');
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const show = (id: string) => void navigate({ to: '/boards/$id', params: { id } });
  return (
    <ResourcePage
      area="boards"
      texts={t}
      icon={<SquareKanban aria-hidden />}
      query={useBoards()}
      words={words}
      onWords={setWords}
      textsOf={({ name, description }) => [name, description ?? '']}
      columns={useColumns(useMenu(setOpen))}
      onNew={useCallback(() => setOpen({ kind: 'new' }), [])}
      onOpen={({ id }) => show(id)}
    >
      {open?.kind === 'new' ? <BoardDialog onClose={close} onCreated={show} /> : null}
      {open?.kind === 'edit' ? <BoardDialog board={open.board} onClose={close} /> : null}
      {open?.kind === 'share' ? (
        <ShareDialog kind="board" id={open.board.id} name={open.board.name} onClose={close} />
      ) : null}
    </ResourcePage>
  );
}
