import type { CardStatus } from '@millrace/contracts';
import { Ban, CircleAlert, CircleCheck, CircleDashed, CirclePause, LoaderCircle } from 'lucide-react';
import { Chip, type Looks } from '../../ui/display/status-chip.tsx';
import { useBoardsTexts } from './texts/use-boards-texts.ts';

type Shown = Exclude<CardStatus, 'idle'>;

const LOOKS: Looks<Shown> = {
  queued: { icon: CircleDashed, tone: 'neutral' },
  running: { icon: LoaderCircle, tone: 'info' },
  waiting_review: { icon: CirclePause, tone: 'warning' },
  failed: { icon: CircleAlert, tone: 'danger' },
  done: { icon: CircleCheck, tone: 'success' },
  stopped: { icon: Ban, tone: 'neutral' },
};

export const isActive = (status: CardStatus): boolean =>
  status === 'queued' || status === 'running' || status === 'waiting_review';

/** Says what the workflows of its column do with a card; nothing for a card at rest. */
export function CardStatusChip({ status }: { status: CardStatus }) {
  const t = useBoardsTexts();
  return status === 'idle' ? null : <Chip {...LOOKS[status]} word={t(`status_${status}`)} />;
}
