import type { BoardCard } from '@millrace/contracts';
import { clsx } from 'clsx';
import { GripVertical, MessageSquare, Paperclip } from 'lucide-react';
import type { KeyboardEvent, PointerEvent } from 'react';
import { CardStatusChip } from './card-status.tsx';
import { useBoardsTexts } from './texts/use-boards-texts.ts';

export type Direction = 'left' | 'right' | 'up' | 'down';

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

interface CardTileProps {
  card: BoardCard;
  mayWrite: boolean;
  dragged: boolean;
  onOpen: (id: string) => void;
  onDragStart: (event: PointerEvent, card: BoardCard) => void;
  onMove: (card: BoardCard, direction: Direction) => void;
}

/** A card in its column. It is dragged by mouse anywhere, by finger at its grip, and moved by arrow keys on the grip. */
export function CardTile({ card, mayWrite, dragged, onOpen, onDragStart, onMove }: CardTileProps) {
  const t = useBoardsTexts();
  const { comments, attachments } = card.card_metadata;
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = ARROWS[event.key];
    if (!direction) return;
    event.preventDefault();
    onMove(card, direction);
  };
  return (
    <li
      data-board-card={card.id}
      className={clsx(
        'flex gap-1 rounded-m border border-line bg-surface p-2 shadow-s select-none [contain-intrinsic-size:auto_64px] [content-visibility:auto]',
        dragged && 'opacity-40',
      )}
      onPointerDown={(event) => {
        if (mayWrite && event.pointerType === 'mouse') onDragStart(event, card);
      }}
    >
      {mayWrite ? (
        <button
          type="button"
          data-grip={card.id}
          aria-label={t('move_card', { title: card.title })}
          title={t('move_hint')}
          className="-ml-1 flex h-6 w-5 shrink-0 cursor-grab touch-none items-center justify-center rounded-s text-faint hover:bg-hover"
          onKeyDown={onKeyDown}
          onPointerDown={(event) => {
            if (event.pointerType !== 'mouse') onDragStart(event, card);
          }}
        >
          <GripVertical className="size-3.5" aria-hidden />
        </button>
      ) : null}
      <div className="min-w-0 grow">
        <button
          type="button"
          className="w-full text-left font-medium break-words hover:underline"
          onClick={() => onOpen(card.id)}
        >
          {card.title}
        </button>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 pt-1 text-sm text-faint empty:hidden">
          {card.run_status === 'idle' ? null : <CardStatusChip status={card.run_status} />}
          {comments > 0 ? (
            <span className="inline-flex items-center gap-1">
              <MessageSquare className="size-3.5" aria-hidden />
              <span className="sr-only">{t('comments')}</span>
              {comments}
            </span>
          ) : null}
          {attachments > 0 ? (
            <span className="inline-flex items-center gap-1">
              <Paperclip className="size-3.5" aria-hidden />
              <span className="sr-only">{t('attachments')}</span>
              {attachments}
            </span>
          ) : null}
        </div>
      </div>
    </li>
  );
}
