import { Link } from '@tanstack/react-router';
import { CircleAlert, History, RotateCcw, X } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useTranslations } from 'use-intl';
import { bodyOfRun } from '../../data/runs.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { StatusChip } from '../../ui/display/status-chip.tsx';
import { DateTime, Duration } from '../../ui/display/time.tsx';
import { ResultView } from '../../ui/results/result-view.tsx';
import { useDocument, useEditor, useRun } from '../context.tsx';
import { labelOf } from '../document/edit.ts';
import { useRunControls } from './run-controls.tsx';
import { lastRecord } from './run-store.ts';
import { slotIn } from './slot.ts';
import { useLeaveShownRun } from './use-shown-run.ts';

const UploadSlot = lazy(() => import('./upload-slot.tsx').then((module) => ({ default: module.UploadSlot })));

/** How the run on the canvas went: its state, where it failed, its outputs. */
export function RunOutcome() {
  const t = useTranslations('editor.run');
  const phase = useRun((state) => state.phase);
  const status = useRun((state) => state.status);
  const outputs = useRun((state) => state.outputs);
  const time = useRun((state) => state.execution_time_ms);
  const id = useRun((state) => state.execution_id);
  const { refollow, stop } = useRunControls();
  const slot = status === 'pending' ? slotIn(outputs) : undefined;
  if (phase === 'idle') return <p className="p-6 text-center text-soft">{t('not_run')}</p>;
  return (
    <div className="flex min-h-0 grow flex-col" aria-live="polite">
      <PastRun />
      <div className="flex min-h-10 shrink-0 items-center gap-2 border-b border-line px-3.5 py-1">
        <StatusChip status={phase === 'ended' ? (status ?? '') : phase === 'lost' ? 'pending' : 'running'} />
        {time === undefined ? null : <Duration ms={time} className="text-sm text-faint" />}
        <span className="grow" />
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
      <Suspense>{slot && id ? <UploadSlot key={id} slot={slot} run_id={id} /> : null}</Suspense>
      <Failures />
      {outputs === undefined || slot ? null : (
        <ResultView value={outputs} label={t('outputs')} className="min-h-32 grow" />
      )}
    </div>
  );
}

/** A run from history is on the canvas: says so, and offers to run it again with what it was given. */
function PastRun() {
  const t = useTranslations('editor.run');
  const { form, start, busy } = useRunControls();
  const stored = useRun((state) => state.stored);
  const leave = useLeaveShownRun();
  if (!stored) return null;
  const again = () => {
    const body = bodyOfRun(stored.inputs) as Parameters<typeof start>[0];
    if (body === undefined) return;
    form.getState().fill(body);
    void start(body);
  };
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-info-line bg-info-tint px-3.5 py-1.5 text-sm">
      <History className="size-4 shrink-0 text-info" aria-hidden />
      <span className="grow">
        {t('past')} <DateTime at={stored.started_at} />
      </span>
      <Button size="small" disabled={busy} onClick={again}>
        <RotateCcw aria-hidden />
        {t('again')}
      </Button>
      <IconButton size="small" label={t('leave_past')} icon={<X />} onClick={leave} />
    </div>
  );
}

/** Every node that failed, with the way to what happened there. */
function Failures() {
  const t = useTranslations('editor.run');
  const { store, view } = useEditor();
  const { startPart, busy } = useRunControls();
  const runs = useRun((state) => state.nodes);
  const nodes = useDocument((state) => state.document.nodes);
  const failed = nodes.filter((node) => runs.get(node.id)?.status === 'error');
  if (failed.length === 0) return null;
  const open = (id: string) => {
    store.getState().select({ nodes: [id] });
    view.getState().showNode('output');
  };
  return (
    <ul className="shrink-0 border-b border-line">
      {failed.map((node) => (
        <li key={node.id} className="flex items-start gap-2 px-3.5 py-2">
          <CircleAlert className="mt-0.5 size-4 shrink-0 text-danger" aria-hidden />
          <p className="min-w-0 grow text-sm">
            <span className="font-medium">{labelOf(node)}</span>
            <span className="block break-words text-soft">{lastRecord(runs.get(node.id))?.error}</span>
          </p>
          <Button size="small" onClick={() => open(node.id)}>
            {t('why')}
          </Button>
          <Button
            size="small"
            disabled={busy}
            title={t('resume_hint')}
            onClick={() => void startPart(node.id, 'resume')}
          >
            {t('resume')}
          </Button>
        </li>
      ))}
    </ul>
  );
}
