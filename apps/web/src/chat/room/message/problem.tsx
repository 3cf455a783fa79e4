/** @jsxImportSource preact */
import { useEffect, useState } from 'preact/hooks';
import type { Problem } from '../../conversation/message.ts';
import { Icon } from '../../icon.tsx';
import { t, timeText } from '../../texts.ts';

const secondsUntil = (ms = 0): number => Math.max(0, Math.ceil((ms - Date.now()) / 1000));

/** Seconds until trying again is of use, counted down. */
function useWait(until_ms: number | undefined): number {
  const [seconds, setSeconds] = useState(() => secondsUntil(until_ms));
  useEffect(() => {
    const look = () => setSeconds(secondsUntil(until_ms));
    look();
    const timer = setInterval(look, 1000);
    return () => clearInterval(timer);
  }, [until_ms]);
  return seconds;
}

/** Why there is no answer, and what to do about it. */
export function ProblemNote({ problem, onRetry }: { problem: Problem; onRetry?: (() => void) | undefined }) {
  const { kind, detail, retry_at_ms } = problem;
  const seconds = useWait(retry_at_ms);
  const waits = kind === 'too_many' && seconds > 0;
  const text =
    kind === 'too_many' && !waits
      ? t('problem_too_many_now')
      : t(`problem_${kind}`, { time: timeText(seconds) });
  return (
    <div class="problem">
      <Icon name="warning" />
      <div>
        <p>{text}</p>
        {detail ? (
          <p class="problem-detail" dir="auto">
            {detail}
          </p>
        ) : null}
        {onRetry ? (
          <button type="button" class="button" disabled={waits} onClick={onRetry}>
            <Icon name="retry" />
            {t(kind === 'connection' ? 'reconnect' : 'retry')}
          </button>
        ) : null}
      </div>
    </div>
  );
}
