import { isJsonObject, type Json } from '@millrace/engine';
import { Link } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { useStore } from 'zustand';
import { lazy } from '../../lib/code/lazy.ts';
import { Button } from '../../ui/actions/button.tsx';
import { StatusChip } from '../../ui/display/status-chip.tsx';
import { Duration } from '../../ui/display/time.tsx';
import { findImage } from '../../ui/results/result-kinds.ts';
import { ResultView } from '../../ui/results/result-view.tsx';
import type { RunStore } from './run-store.ts';
import { slotIn } from './slot.ts';
import { useRunViewTexts } from './texts/use-run-view-texts.ts';

const OutputFiles = lazy(() =>
  import('../../ui/results/output-files.tsx').then((module) => ({ default: module.OutputFiles })),
);
const PausedRun = lazy(() => import('./paused-run.tsx').then((module) => ({ default: module.PausedRun })));
const UploadSlot = lazy(() =>
  import('./input/upload-slot.tsx').then((module) => ({ default: module.UploadSlot })),
);

function onlyOutput(outputs: Json): Json {
  if (!isJsonObject(outputs)) return outputs;
  const [only, ...others] = Object.values(outputs);
  return only === undefined || others.length > 0 ? outputs : only;
}

interface RunViewProps {
  /** A run that was started. */
  run: RunStore;
  /** Follows it again when its connection was lost, or what it waited for has come. */
  refollow: () => Promise<void>;
  stop: () => void;
  /** Shows the only output by itself, without its name. */
  unwrap?: boolean;
  /** Remarks about its nodes, above the outputs. */
  children: ReactNode;
}

/** How a run goes: its state, the file or the person that it waits for, its outputs. */
export function RunView({ run, refollow, stop, unwrap = false, children }: RunViewProps) {
  const t = useRunViewTexts();
  const { phase, status, outputs, execution_time_ms, execution_id: id } = useStore(run);
  const shown = unwrap && outputs !== undefined ? onlyOutput(outputs) : outputs;
  const slot = status === 'pending' ? slotIn(outputs) : undefined;
  return (
    <>
      <div className="flex min-h-10 shrink-0 items-center gap-2 border-b border-line px-3.5 py-1">
        <StatusChip status={phase === 'ended' ? (status ?? '') : phase === 'lost' ? 'pending' : 'running'} />
        {execution_time_ms === undefined ? null : (
          <Duration ms={execution_time_ms} className="text-sm text-faint" />
        )}
        <span className="grow" />
        {phase === 'ended' && status === 'pending' ? (
          <Button size="small" onClick={stop}>
            {t('stop')}
          </Button>
        ) : null}
        {id && phase === 'ended' ? (
          <Link to="/runs/$id" params={{ id }} className="text-sm text-accent-text hover:underline">
            {t('details')}
          </Link>
        ) : null}
      </div>
      {phase === 'lost' ? (
        <div role="alert" className="flex flex-col items-start gap-2 p-4 text-sm text-warning">
          <p>{t('lost')}</p>
          <span className="flex gap-2">
            <Button size="small" onClick={() => void refollow()}>
              {t('refollow')}
            </Button>
            <Button size="small" onClick={stop}>
              {t('stop')}
            </Button>
          </span>
        </div>
      ) : null}
      <Suspense>
        {slot && id ? <UploadSlot key={id} slot={slot} run_id={id} onConsumed={refollow} /> : null}
        {id && phase === 'ended' && status === 'pending' && !slot ? (
          <PausedRun key={id} run_id={id} onContinued={refollow} />
        ) : null}
      </Suspense>
      {children}
      {outputs === undefined || slot ? null : (
        <>
          <Suspense>
            <OutputFiles value={outputs} shown={findImage(shown)} />
          </Suspense>
          <ResultView value={shown} label={t('outputs')} className="min-h-32 grow" />
        </>
      )}
    </>
  );
}
