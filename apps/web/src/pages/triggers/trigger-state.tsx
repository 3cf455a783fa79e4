import type { Trigger } from '@millrace/contracts';
import { CircleAlert, CircleCheck, CircleDashed, CirclePause, LoaderCircle } from 'lucide-react';
import { Chip, type Looks } from '../../ui/display/status-chip.tsx';
import { useTriggersTexts } from './texts/use-triggers-texts.ts';

export type TriggerState = Trigger['state'];

const LOOKS: Looks<TriggerState> = {
  new: { icon: CircleDashed, tone: 'neutral' },
  armed: { icon: CircleCheck, tone: 'success' },
  connecting: { icon: LoaderCircle, tone: 'info' },
  connected: { icon: CircleCheck, tone: 'success' },
  waiting: { icon: CircleDashed, tone: 'info' },
  failing: { icon: CircleAlert, tone: 'danger' },
  paused: { icon: CirclePause, tone: 'warning' },
};

export const STATES = Object.keys(LOOKS) as readonly TriggerState[];

export function TriggerStateChip({ state }: { state: TriggerState }) {
  const t = useTriggersTexts();
  return <Chip {...LOOKS[state]} word={t(`state_${state}`)} look="line" />;
}
