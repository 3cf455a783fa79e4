import type { EvalResult, EvalResultStatus, EvalRunStatus } from '@millrace/contracts';
import {
  Ban,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleX,
  LoaderCircle,
  type LucideIcon,
  Scale,
} from 'lucide-react';
import { Chip, type Looks, type Tone } from '../../ui/display/status-chip.tsx';
import { useEvalsTexts } from './texts/use-evals-texts.ts';

const LOOKS: Looks<EvalRunStatus | EvalResultStatus> = {
  pending: { icon: CircleDashed, tone: 'neutral' },
  running: { icon: LoaderCircle, tone: 'info' },
  answered: { icon: Scale, tone: 'info' },
  completed: { icon: CircleCheck, tone: 'success' },
  failed: { icon: CircleAlert, tone: 'danger' },
  cancelled: { icon: Ban, tone: 'neutral' },
};

/** The state of an eval run. */
export function EvalStatusChip({ status, look }: { status: EvalRunStatus; look?: 'chip' | 'line' | 'icon' }) {
  const t = useEvalsTexts();
  return <Chip {...LOOKS[status]} word={t(`status_${status}`)} look={look} />;
}

interface ScoreLook {
  icon: LucideIcon;
  tone: Tone;
  word: string;
}

/** The look of a result, with a word for it: its score, or why there is none yet. */
export function useScoreLook(): (result: Pick<EvalResult, 'status' | 'score' | 'is_pass'>) => ScoreLook {
  const t = useEvalsTexts();
  return ({ status, score, is_pass }) => {
    if (status === 'failed') return { ...LOOKS.failed, word: t('error') };
    if (status !== 'completed') return { ...LOOKS[status], word: t(`status_${status}`) };
    const word = score === 'pass' || score === 'fail' ? t(score) : (score ?? '');
    return is_pass ? { icon: CircleCheck, tone: 'success', word } : { icon: CircleX, tone: 'danger', word };
  };
}
