import { type BoardCard, type BoardColumn, type BoardState, CARD_STATUSES } from '@millrace/contracts';
import { useParams } from '@tanstack/react-router';
import { Columns3, Ellipsis, Pencil, Plus, Share2, SquareKanban } from 'lucide-react';
import { Fragment, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import {
  type CardView,
  useBoard,
  useCardAction,
  useDeleteColumn,
  useFoundCards,
  useMoveCard,
} from '../../data/boards.ts';
import { isNotFound } from '../../data/refusal.ts';
import { ShareDialog } from '../../features/sharing/share-dialog.tsx';
import { useDebounced } from '../../lib/use-debounced.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { Menu } from '../../ui/actions/menu.tsx';
import { EmptyState, LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Badge, Count } from '../../ui/display/status-chip.tsx';
import { FilterSelect, PageSearch } from '../../ui/forms/filters.tsx';
import { BackLink } from '../../ui/layout/back-link.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { NotFoundPage } from '../errors/not-found-page.tsx';
import { BoardDialog } from './board-dialog.tsx';
import { CardSheet } from './card-sheet.tsx';
import { CardTile, type Direction } from './card-tile.tsx';
import { ColumnDialog } from './column-dialog.tsx';
import { ColumnView } from './column-view.tsx';
import { useBoardsTexts } from './texts/use-boards-texts.ts';
import { type DropPlace, useCardDrag } from './use-card-drag.ts';

/** One board: its columns side by side, cards that are dragged between them. */
export function BoardPage() {
  const t = useBoardsTexts();
  const { id } = useParams({ from: '/app/boards/$id' });
  const board = useBoard(id);
  if (board.data) return <LoadedBoard key={id} board={board.data} />;
  if (isNotFound(board.error)) return <NotFoundPage />;
  return (
    <Page title={t('title')} lead={<BackLink to="/boards" label={t('title')} />}>
      {board.isLoadingError ? (
        <LoadFailed error={board.error} onRetry={() => void board.refetch()} />
      ) : (
        <SkeletonRows />
      )}
    </Page>
  );
}

const inOrder = (cards: readonly BoardCard[], column_id: string) =>
  cards.filter((card) => card.column_id === column_id).toSorted((a, b) => a.position - b.position);

/**
 * Moves of cards, by pointer and by key. The focus stays on the grip of a card that arrow keys have moved, until it is
 * taken elsewhere.
 *
 * @param cards those on the page, which a search may have narrowed down
 */
function useMoves(board: BoardState, cards: readonly BoardCard[]) {
  const t = useBoardsTexts();
  const { mutate } = useMoveCard(board.id, showFailure);
  const [said, setSaid] = useState('');
  const focused = useRef<string>(undefined);
  useEffect(() => {
    if (focused.current === undefined) return;
    document.querySelector<HTMLElement>(`[data-grip="${focused.current}"]`)?.focus();
  }, [cards]);
  const drop = (card: BoardCard, { column_id, before_id }: DropPlace) => {
    const there = inOrder(cards, column_id);
    const at = there.findIndex(({ id }) => id === card.id);
    if (at !== -1 && before_id === (there[at + 1]?.id ?? null)) return;
    const others = there.filter(({ id }) => id !== card.id);
    const before = others.find(({ id }) => id === before_id);
    const last = inOrder([...cards, ...board.cards], column_id).at(-1);
    const position = before?.position ?? Math.floor(last?.position ?? -1) + 1;
    const column = board.columns.find(({ id }) => id === column_id);
    const place = (before ? others.indexOf(before) : others.length) + 1;
    setSaid(t('moved', { title: card.title, column: column?.name ?? '', place }));
    mutate({ card, to_column_id: column_id, position });
  };
  const step = (card: BoardCard, direction: Direction) => {
    focused.current = card.id;
    const at = board.columns.findIndex(({ id }) => id === card.column_id);
    const mine = inOrder(cards, card.column_id);
    const place = mine.findIndex(({ id }) => id === card.id);
    if (direction === 'up' && place > 0) {
      drop(card, { column_id: card.column_id, before_id: mine[place - 1]?.id ?? null });
    } else if (direction === 'down' && place < mine.length - 1) {
      drop(card, { column_id: card.column_id, before_id: mine[place + 2]?.id ?? null });
    } else if (direction === 'left' || direction === 'right') {
      const to = board.columns[at + (direction === 'left' ? -1 : 1)];
      if (to) drop(card, { column_id: to.id, before_id: null });
    }
  };
  const forget = () => {
    focused.current = undefined;
  };
  return { drop, step, said, forget };
}

type Open =
  | { kind: 'card'; id: string }
  | { kind: 'column'; column: BoardColumn }
  | { kind: 'new_column' | 'share' | 'edit' };

function LoadedBoard({ board }: { board: BoardState }) {
  const t = useBoardsTexts();
  const ui = useTranslations('ui');
  const [view, setView] = useState<CardView>({ search: '', run_status: undefined });
  const search = useDebounced(view.search.trim());
  const [open, setOpen] = useState<Open>();
  const isOwner = board.permission === 'owner';
  const mayWrite = board.permission !== 'read';
  return (
    <Page
      fill
      title={board.name}
      lead={<BackLink to="/boards" label={t('title')} />}
      badge={
        <>
          <Count value={board.card_count} />
          {mayWrite ? null : <Badge>{t('read_only')}</Badge>}
        </>
      }
      actions={
        <>
          {mayWrite ? (
            <Button onClick={() => setOpen({ kind: 'new_column' })}>
              <Columns3 aria-hidden />
              <span className="max-sm:sr-only">{t('add_column')}</span>
            </Button>
          ) : null}
          {isOwner ? (
            <Menu
              items={[
                {
                  label: t('edit'),
                  icon: <Pencil aria-hidden />,
                  onSelect: () => setOpen({ kind: 'edit' }),
                },
                {
                  label: t('share'),
                  icon: <Share2 aria-hidden />,
                  onSelect: () => setOpen({ kind: 'share' }),
                },
              ]}
            >
              <IconButton
                tooltip={false}
                label={ui('actions_for', { name: board.name })}
                icon={<Ellipsis aria-hidden />}
              />
            </Menu>
          ) : null}
        </>
      }
      toolbar={<Filters view={view} onView={setView} />}
    >
      {board.columns.length === 0 ? (
        <EmptyState
          icon={<SquareKanban aria-hidden />}
          title={t('no_columns')}
          actions={
            mayWrite ? (
              <Button onClick={() => setOpen({ kind: 'new_column' })}>
                <Plus aria-hidden />
                {t('add_column')}
              </Button>
            ) : null
          }
        >
          {t('no_columns_hint')}
        </EmptyState>
      ) : (
        <Columns board={board} view={{ ...view, search }} onOpen={setOpen} />
      )}
      <Dialogs board={board} open={open} onClose={() => setOpen(undefined)} />
    </Page>
  );
}

function Filters({ view, onView }: { view: CardView; onView: (view: CardView) => void }) {
  const t = useBoardsTexts();
  return (
    <>
      <PageSearch
        className="min-w-0 grow basis-40 sm:max-w-72"
        label={t('search_cards')}
        value={view.search}
        onChange={(search) => onView({ ...view, search })}
      />
      <FilterSelect
        label={t('status')}
        any={t('any_status')}
        value={view.run_status}
        values={CARD_STATUSES}
        getLabel={(value) => t(`status_${value}`)}
        onChange={(run_status) => onView({ ...view, run_status })}
      />
    </>
  );
}

/** Where a dragged card would be dropped; it takes no room, so that nothing moves below the pointer. */
const DropLine = () => (
  <li aria-hidden className="relative -mb-2 h-0">
    <span className="absolute inset-x-0 -top-[5px] h-0.5 rounded-full bg-accent" />
  </li>
);

interface ColumnsProps {
  board: BoardState;
  view: CardView;
  onOpen: (open: Open) => void;
}

const NO_CARDS: readonly BoardCard[] = [];

function Columns({ board, view, onOpen }: ColumnsProps) {
  const t = useBoardsTexts();
  const ui = useTranslations('ui');
  const mayWrite = board.permission !== 'read';
  const isFiltered = view.search !== '' || view.run_status !== undefined;
  const found = useFoundCards(board.id, view);
  const cards = (isFiltered ? found.data?.cards : board.cards) ?? NO_CARDS;
  const { drop, step, said, forget } = useMoves(board, cards);
  const { drag, start } = useCardDrag(drop);
  const act = useCardAction(board.id);
  const removeColumn = useDeleteColumn(board.id);
  const byColumn = useMemo(
    () => new Map(board.columns.map(({ id }) => [id, inOrder(cards, id)])),
    [board.columns, cards],
  );
  const deleteColumn = async ({ id, name }: BoardColumn) => {
    const sure = await confirm({
      title: t('delete_title', { name }),
      body: t('delete_column_body'),
      action: ui('delete'),
    });
    if (sure) removeColumn.mutate(id, { onError: showFailure });
  };
  if (isFiltered && found.isLoadingError)
    return <LoadFailed error={found.error} onRetry={() => void found.refetch()} />;
  if (isFiltered && found.isPending) return <SkeletonRows />;
  if (isFiltered && found.data?.total === 0)
    return <EmptyState icon={<SquareKanban aria-hidden />} title={t('no_card_matches')} />;
  return (
    <div
      data-board
      className="relative flex min-h-0 grow items-start gap-3 overflow-x-auto p-3 sm:p-4"
      onBlur={forget}
    >
      {board.columns.map((column) => {
        const own = byColumn.get(column.id) ?? [];
        const target = drag?.place?.column_id === column.id ? drag.place : undefined;
        return (
          <ColumnView
            key={column.id}
            column={column}
            cards={own}
            mayWrite={mayWrite}
            isTarget={target !== undefined}
            isFiltered={isFiltered}
            hidden={isFiltered ? 0 : column.card_count - own.length}
            onEdit={() => onOpen({ kind: 'column', column })}
            onDelete={() => void deleteColumn(column)}
            onAdd={(title) => act.mutateAsync({ do: 'add', title, column_id: column.id })}
          >
            {own.map((card) => (
              <Fragment key={card.id}>
                {target?.before_id === card.id ? <DropLine /> : null}
                <CardTile
                  card={card}
                  mayWrite={mayWrite}
                  dragged={drag?.card.id === card.id}
                  onOpen={(id) => onOpen({ kind: 'card', id })}
                  onDragStart={start}
                  onMove={step}
                />
              </Fragment>
            ))}
            {target?.before_id === null ? <DropLine /> : null}
          </ColumnView>
        );
      })}
      {drag ? (
        <div
          aria-hidden
          className="pointer-events-none fixed z-50 max-w-64 rounded-m border border-accent-line bg-raised px-3 py-2 font-medium shadow-l"
          style={{ left: drag.x + 8, top: drag.y + 8 }}
        >
          {drag.card.title}
        </div>
      ) : null}
      <p className="sr-only" aria-live="polite">
        {said}
      </p>
    </div>
  );
}

function Dialogs({
  board,
  open,
  onClose,
}: {
  board: BoardState;
  open: Open | undefined;
  onClose: () => void;
}) {
  const t = useBoardsTexts();
  const ui = useTranslations('ui');
  const act = useCardAction(board.id);
  const { drop } = useMoves(board, board.cards);
  const isOwner = board.permission === 'owner';
  const remove = async (card_id: string, title: string) => {
    onClose();
    await act.mutateAsync({ do: 'delete', card_id }).then(
      () =>
        toast.done(t('card_deleted', { title }), {
          undo: {
            label: ui('undo'),
            run: () => void act.mutateAsync({ do: 'restore', card_id }).catch(showFailure),
          },
        }),
      showFailure,
    );
  };
  switch (open?.kind) {
    case undefined:
      return null;
    case 'card':
      return (
        <CardSheet
          board_id={board.id}
          card_id={open.id}
          columns={board.columns}
          isOwner={isOwner}
          mayWrite={board.permission !== 'read'}
          onMove={(card, column_id) => drop(card, { column_id, before_id: null })}
          onDelete={({ id, title }) => void remove(id, title)}
          onClose={onClose}
        />
      );
    case 'column':
      return <ColumnDialog board_id={board.id} column={open.column} isOwner={isOwner} onClose={onClose} />;
    case 'new_column':
      return <ColumnDialog board_id={board.id} isOwner={isOwner} onClose={onClose} />;
    case 'edit':
      return <BoardDialog board={board} onClose={onClose} />;
    case 'share':
      return <ShareDialog kind="board" id={board.id} name={board.name} onClose={onClose} />;
    default:
      return open satisfies never;
  }
}
