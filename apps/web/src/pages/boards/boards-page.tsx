import type { BoardSummary } from '@millrace/contracts';
import { Link, useNavigate } from '@tanstack/react-router';
import { SquareKanban } from 'lucide-react';
import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { useBoards, useDeleteBoard } from '../../data/boards.ts';
import { useLeaveMenu } from '../../features/sharing/use-leave-menu.tsx';
import type { MenuItem } from '../../ui/actions/menu.tsx';
import type { Column } from '../../ui/layout/data-table.tsx';
import { menuColumn, nameColumn, ownerColumn, updatedColumn } from '../resources/resource-columns.tsx';
import { ResourcePage } from '../resources/resource-page.tsx';
import { RowDialogs, useRowDialog, useRowMenu } from '../resources/row-dialogs.tsx';
import { BoardDialog } from './board-dialog.tsx';
import { useBoardsTexts } from './texts/use-boards-texts.ts';

function useColumns(getMenu: (board: BoardSummary) => MenuItem[]): Column<BoardSummary>[] {
  const t = useBoardsTexts();
  const ui = useTranslations('ui');
  const number = new Intl.NumberFormat(useLocale());
  return [
    nameColumn(ui, <SquareKanban aria-hidden />, ({ id, name }) => (
      <Link to="/boards/$id" params={{ id }} className="truncate font-medium hover:underline">
        {name}
      </Link>
    )),
    {
      id: 'cards',
      header: t('cards'),
      align: 'end',
      width: '90px',
      cell: ({ card_count }) => <span className="text-soft">{number.format(card_count)}</span>,
    },
    ownerColumn(ui),
    updatedColumn(ui),
    menuColumn(ui, getMenu),
  ];
}

/** Boards: cards whose moves start workflows. */
export function BoardsPage() {
  const t = useBoardsTexts();
  const navigate = useNavigate();
  const [words, setWords] = useState('');
  const dialog = useRowDialog<BoardSummary>();
  const { mutateAsync: remove } = useDeleteBoard();
  const getOwnMenu = useRowMenu(dialog, {
    texts: t,
    edit: t('edit'),
    deleteBody: ({ card_count }) => t('delete_body', { count: card_count }),
    remove,
  });
  const getLeaveMenu = useLeaveMenu('board');
  const getMenu = (board: BoardSummary) =>
    board.permission === 'owner' ? getOwnMenu(board) : getLeaveMenu(board);
  const show = (id: string) => void navigate({ to: '/boards/$id', params: { id } });
  return (
    <ResourcePage
      area="boards"
      texts={t}
      icon={<SquareKanban aria-hidden />}
      query={useBoards()}
      words={words}
      onWords={setWords}
      columns={useColumns(getMenu)}
      onNew={dialog.onNew}
      onOpen={({ id }) => show(id)}
    >
      <RowDialogs dialog={dialog} kind="board">
        {(board) => <BoardDialog board={board} onClose={dialog.close} onCreated={show} />}
      </RowDialogs>
    </ResourcePage>
  );
}
