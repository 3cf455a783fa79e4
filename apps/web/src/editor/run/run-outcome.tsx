import type { Json } from '@millrace/engine';
import { CircleAlert, History, RotateCcw, TriangleAlert, X } from 'lucide-react';
import { Suspense } from 'react';
import { useTranslations } from 'use-intl';
import { useShallow } from 'zustand/react/shallow';
import { bodyOfRun } from '../../data/runs.ts';
import { useDocument, useRun } from '../../features/document/context.ts';
import { GrowingTextView } from '../../features/ran-node/growing-text-view.tsx';
import { useRanNodeTexts } from '../../features/ran-node/texts/use-ran-node-texts.ts';
import { lastRecord } from '../../features/run-view/run-store.ts';
import { lazy } from '../../lib/code/lazy.ts';
import { getNodeLabel } from '../../lib/graph/node-label.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { DateTime } from '../../ui/display/time.tsx';
import { countUnresolved } from '../../ui/results/unresolved.ts';
import { useEditor } from '../state/context.tsx';
import { useEditorTexts } from '../texts/use-editor-texts.ts';
import { useRunControls } from './run-controls.tsx';
import { useLeaveShownRun } from './use-shown-run.ts';

/** Brings the views of results along, which are not needed before a run is shown. */
const RunView = lazy(() =>
  import('../../features/run-view/run-view.tsx').then((module) => ({ default: module.RunView })),
);

/** How the run on the canvas went: its state, where it failed, its outputs. */
export function RunOutcome() {
  const t = useEditorTexts('run');
  const { run } = useEditor();
  const phase = useRun((state) => state.phase);
  const { refollow, stop } = useRunControls();
  if (phase === 'idle') return <p className="p-6 text-center text-soft">{t('not_run')}</p>;
  return (
    <div className="flex min-h-0 grow flex-col" aria-live="polite">
      <PastRun />
      <Suspense fallback={<SkeletonRows rows={4} />}>
        <RunView run={run} refollow={refollow} stop={stop}>
          <Failures />
          <UnresolvedNodes />
          <Writing />
        </RunView>
      </Suspense>
    </div>
  );
}

/** A run from history is on the canvas: says so, and offers to run it again with what it was given. */
function PastRun() {
  const t = useEditorTexts('run');
  const { form, start, busy } = useRunControls();
  const stored = useRun((state) => state.stored);
  const leave = useLeaveShownRun();
  if (!stored) return null;
  const again = () => {
    const body = bodyOfRun(stored.inputs) as Json | undefined;
    if (body === undefined) return;
    form.getState().fill(body);
    void start({ input: body });
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

/** The text that models write in the run at this moment. Read out once it is an output. */
function Writing() {
  const ids = useRun(useShallow((state) => state.texts.map(({ node_id }) => node_id)));
  const nodes = useDocument((state) => state.document.nodes);
  const writing = nodes.filter((node) => ids.includes(node.id));
  return (
    <div aria-live="off">
      {writing.map((node) => (
        <GrowingTextView key={node.id} node_id={node.id} label={getNodeLabel(node)} />
      ))}
    </div>
  );
}

/** Every node that failed, with the way to what happened there. */
function Failures() {
  const t = useEditorTexts('run');
  const tFailure = useRanNodeTexts('failure');
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
            <span className="font-medium">{getNodeLabel(node)}</span>
            <span className="block break-words text-soft">{lastRecord(runs.get(node.id))?.error}</span>
          </p>
          <Button size="small" onClick={() => open(node.id)}>
            {t('why')}
          </Button>
          <Button
            size="small"
            disabled={busy}
            title={tFailure('resume_hint')}
            onClick={() => void startPart(node.id, 'resume')}
          >
            {tFailure('resume')}
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** Lists the nodes with unresolved references, each with a button that opens its output. */
function UnresolvedNodes() {
  const t = useTranslations('ui');
  const { store, view } = useEditor();
  const phase = useRun((state) => state.phase);
  const runs = useRun((state) => state.nodes);
  const nodes = useDocument((state) => state.document.nodes);
  const found = nodes.flatMap((node) => {
    const count = countUnresolved(runs.get(node.id)?.records ?? []);
    return count === 0 ? [] : [{ node, count }];
  });
  if (phase !== 'ended' || found.length === 0) return null;
  const open = (id: string) => {
    store.getState().select({ nodes: [id] });
    view.getState().showNode('output');
  };
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-warning-line bg-warning-tint px-3.5 py-1.5 text-sm">
      <TriangleAlert className="size-4 shrink-0 text-warning" aria-hidden />
      <span className="grow">
        {t('finished_unresolved', { count: found.reduce((sum, { count }) => sum + count, 0) })}
      </span>
      {found.map(({ node }) => (
        <Button key={node.id} size="small" onClick={() => open(node.id)}>
          {getNodeLabel(node)}
        </Button>
      ))}
    </div>
  );
}
