import type { ReplayJob } from '@millrace/contracts';
import { DAY_MS } from '@millrace/engine/units';
import { X } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useMoveReplayJob, useReplayJob } from '../../data/inbox.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { ProgressBar } from '../../ui/display/progress-bar.tsx';
import { showFailure } from '../../ui/overlays/toast.ts';
import { useTriggersTexts } from '../triggers/texts/use-triggers-texts.ts';
import { useInboxTexts } from './texts/use-inbox-texts.ts';

/** Jobs that ended some time ago are no news. */
const isNews = ({ finished_at }: ReplayJob): boolean =>
  finished_at === null || Date.now() - Date.parse(finished_at) < DAY_MS;

/** How far the newest replay job is, what it could not run again, and the ways to hold it. */
export function JobProgress() {
  const t = useInboxTexts();
  const triggersText = useTriggersTexts();
  const ui = useTranslations('ui');
  const job = useReplayJob().data;
  const move = useMoveReplayJob();
  const [hidden, setHidden] = useState<string>();
  if (!job || job.id === hidden || !isNews(job)) return null;
  const { id, state, total, replayed, refused, refusals } = job;
  const say = (what: 'pause' | 'resume' | 'cancel') =>
    move.mutate({ id, move: what }, { onError: showFailure });
  // Those that were left out are listed with their reasons.
  const text = t(`job_${state}`, { done: replayed, total });
  return (
    <section aria-label={t('job')} className="shrink-0 border-b border-line bg-canvas px-4 py-2 sm:px-5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <span role="status" className="tabular text-sm font-medium">
          {text}
        </span>
        <ProgressBar
          label={t('job')}
          share={total === 0 ? 1 : (replayed + refused) / total}
          className="w-40 max-sm:w-full"
        />
        <span className="flex items-center gap-1.5 sm:ml-auto">
          {state === 'running' ? (
            <Button size="small" onClick={() => say('pause')}>
              {triggersText('pause')}
            </Button>
          ) : null}
          {state === 'paused' ? (
            <Button size="small" onClick={() => say('resume')}>
              {triggersText('resume')}
            </Button>
          ) : null}
          {state === 'running' || state === 'paused' ? (
            <Button size="small" onClick={() => say('cancel')}>
              {ui('cancel')}
            </Button>
          ) : (
            <IconButton
              size="small"
              label={ui('close')}
              icon={<X aria-hidden />}
              onClick={() => setHidden(id)}
            />
          )}
        </span>
      </div>
      {refusals.length === 0 ? null : (
        <ul className="pt-1 text-sm text-soft">
          {refusals.map(({ reason, message, count }) => (
            <li key={reason}>{t('refused', { count, message })}</li>
          ))}
        </ul>
      )}
    </section>
  );
}
