import type { Trigger } from '@millrace/contracts';
import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CirclePause,
  LoaderCircle,
  type LucideIcon,
} from 'lucide-react';
import { useTranslations } from 'use-intl';
import { TONE_TEXT, type Tone } from '../../ui/display/status-chip.tsx';

export type TriggerState = Trigger['state'];

const LOOKS: Record<TriggerState, { icon: LucideIcon; tone: Tone }> = {
  new: { icon: CircleDashed, tone: 'neutral' },
  armed: { icon: CircleCheck, tone: 'success' },
  connecting: { icon: LoaderCircle, tone: 'info' },
  connected: { icon: CircleCheck, tone: 'success' },
  waiting: { icon: CircleDashed, tone: 'info' },
  failing: { icon: CircleAlert, tone: 'danger' },
  paused: { icon: CirclePause, tone: 'warning' },
};

export const STATES = Object.keys(LOOKS) as readonly TriggerState[];

/** A state by icon and word; colour only repeats it. */
export function TriggerStateChip({ state }: { state: TriggerState }) {
  const t = useTranslations('triggers');
  const { icon: Icon, tone } = LOOKS[state];
  return (
    <span className={`inline-flex items-center gap-1.5 text-sm whitespace-nowrap ${TONE_TEXT[tone]}`}>
      <Icon className="size-3.5" aria-hidden />
      {t(`state_${state}`)}
    </span>
  );
}
