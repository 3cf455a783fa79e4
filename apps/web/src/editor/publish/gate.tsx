import type { GateSuite, GateSuiteState, PublishGate } from '@millrace/contracts';
import { RUNNABLE_STATES } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, CircleDashed, CircleX, History, LoaderCircle } from 'lucide-react';
import { useLocale } from 'use-intl';
import { ProgressBar } from '../../ui/display/progress-bar.tsx';
import { Chip, type Looks } from '../../ui/display/status-chip.tsx';
import { useEditorTexts } from '../texts/use-editor-texts.ts';

const LOOKS: Looks<GateSuiteState> = {
  passed: { icon: CircleCheck, tone: 'success' },
  failed: { icon: CircleX, tone: 'danger' },
  running: { icon: LoaderCircle, tone: 'info' },
  outdated: { icon: History, tone: 'warning' },
  not_run: { icon: CircleDashed, tone: 'neutral' },
  empty: { icon: CircleAlert, tone: 'warning' },
  deleted: { icon: CircleAlert, tone: 'warning' },
};

/** Whether a run of the evals can bring the draft further. */
export const canRunEvals = ({ suites }: PublishGate): boolean =>
  suites.some(({ state }) => RUNNABLE_STATES.has(state));

/** The evals that have to pass, with what each has reached on this draft. */
export function GateSuites({ gate }: { gate: PublishGate }) {
  const t = useEditorTexts('gate');
  return (
    <section aria-label={t('title')} className="rounded-m border border-line p-3">
      <h3 className="font-medium">{gate.passes ? t('all_passed') : t('title')}</h3>
      {canRunEvals(gate) ? <p className="text-sm text-soft">{t('hint')}</p> : null}
      <ul className="mt-2 flex flex-col gap-2">
        {gate.suites.map((suite) => (
          <SuiteLine key={suite.suite_id} suite={suite} />
        ))}
      </ul>
    </section>
  );
}

function SuiteLine({ suite }: { suite: GateSuite }) {
  const t = useEditorTexts('gate');
  const { suite_id, suite_name, state, run_id, error } = suite;
  const { total_count: total, done_count: done } = suite;
  return (
    <li className="text-sm">
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Chip {...LOOKS[state]} word={t(`state_${state}`)} look="line" />
        <span className="font-medium break-words">{suite_name}</span>
        <span className="text-soft">{useReached(suite)}</span>
        {run_id === null ? null : (
          <Link
            to="/evals/$id/runs/$run"
            params={{ id: suite_id, run: run_id }}
            target="_blank"
            className="text-accent-text underline-offset-2 hover:underline"
          >
            {t('results')}
          </Link>
        )}
      </span>
      {state === 'running' ? (
        <span className="mt-1 flex items-center gap-2 text-soft">
          <ProgressBar label={t('progress_of', { name: suite_name })} share={done / total} className="w-40" />
          <span aria-live="polite">{t('progress', { done, total })}</span>
        </span>
      ) : null}
      {error !== null && state === 'failed' ? (
        <span className="block break-words text-danger">{error}</span>
      ) : null}
    </li>
  );
}

/** Says in words what a suite has reached and what it needs. */
function useReached({ state, least_pass_percent, pass_percent, pass_count, total_count }: GateSuite): string {
  const t = useEditorTexts('gate');
  const percent = new Intl.NumberFormat(useLocale(), { style: 'percent', maximumFractionDigits: 1 });
  const least = percent.format(least_pass_percent / 100);
  if ((state === 'passed' || state === 'failed') && pass_percent !== null) {
    const reached = percent.format(pass_percent / 100);
    return t('reached', { reached, least, passed: pass_count, total: total_count });
  }
  if (state === 'deleted') return t('deleted_hint');
  if (state === 'empty') return t('empty_hint');
  return t('needs', { least });
}
