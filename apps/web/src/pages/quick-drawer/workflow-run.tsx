import type { Workflow } from '@millrace/contracts';
import type { WorkflowNode } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { Link } from '@tanstack/react-router';
import { Play, Square } from 'lucide-react';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { useMe } from '../../data/session.ts';
import { usePublishedWorkflow } from '../../data/workflows.ts';
import { formInput, inputFormFields, startNodes } from '../../features/run-view/input/input-form.ts';
import { RunInput } from '../../features/run-view/input/run-input.tsx';
import { isBusy } from '../../features/run-view/run-store.ts';
import { RunView } from '../../features/run-view/run-view.tsx';
import { useRunViewTexts } from '../../features/run-view/texts/use-run-view-texts.ts';
import { Button, buttonStyle } from '../../ui/actions/button.tsx';
import { EmptyState, LoadFailed } from '../../ui/display/empty-state.tsx';
import { Keys } from '../../ui/display/keys.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { getDrawerRun } from './drawer-runs.ts';
import { NodeProgress } from './node-progress.tsx';
import { useQuickDrawerTexts } from './texts/use-quick-drawer-texts.ts';

/** The published version of a workflow: what it is given, how it runs, what came out. */
export function WorkflowRun({ id }: { id: string }) {
  const t = useQuickDrawerTexts();
  const query = usePublishedWorkflow(id);
  if (query.isPending) return <SkeletonRows rows={5} />;
  if (query.isLoadingError) return <LoadFailed error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data.published)
    return (
      <EmptyState
        icon={<Play aria-hidden />}
        title={t('unpublished')}
        actions={
          <Link to="/workflows/$id" params={{ id }} className={buttonStyle({ tone: 'primary' })}>
            {t('open_editor')}
          </Link>
        }
      >
        {t('unpublished_hint')}
      </EmptyState>
    );
  return <PublishedRun workflow={query.data} />;
}

function PublishedRun({ workflow }: { workflow: Workflow }) {
  const t = useRunViewTexts();
  const drawer = getDrawerRun(useMe().id, workflow.id);
  const state = useStore(drawer.form);
  const phase = useStore(drawer.run, ({ phase: current }) => current);
  const [problem, setProblem] = useState<string>();
  const area = useRef<HTMLFormElement>(null);
  useEffect(() => area.current?.querySelector<HTMLElement>('input, textarea')?.focus(), []);
  const fields = useMemo(
    // The service has checked them.
    () => inputFormFields(startNodes(catalog, workflow.nodes as readonly WorkflowNode[])),
    [workflow.nodes],
  );
  const input = useMemo(() => formInput(fields, state), [fields, state]);
  const busy = isBusy(phase);
  const start = async () => {
    if (input === undefined || busy) return;
    setProblem(undefined);
    setProblem(await drawer.start(input));
  };
  const stop = () => void drawer.stop().catch((error: Error) => setProblem(error.message));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    // The editor below has the same keys.
    event.stopPropagation();
    event.preventDefault();
    void start();
  };
  return (
    <div className="flex min-h-full flex-col">
      <form
        ref={area}
        noValidate
        onKeyDown={onKeyDown}
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
        className="flex shrink-0 flex-col gap-3 border-b border-line p-3.5"
      >
        <RunInput form={drawer.form} fields={fields} input={input} />
        {busy ? (
          <Button tone="danger" busy={phase === 'stopping'} onClick={stop}>
            <Square aria-hidden />
            {t('stop')}
          </Button>
        ) : (
          <Button tone="primary" type="submit" disabled={input === undefined}>
            <Play aria-hidden />
            {t('run')}
            <span className="ml-1 max-md:hidden" aria-hidden>
              <Keys keys="mod+enter" inverse />
            </span>
          </Button>
        )}
        <FormProblem text={problem} />
      </form>
      {phase === 'idle' ? null : (
        <div className="flex min-h-72 grow flex-col" aria-live="polite">
          <RunView run={drawer.run} refollow={drawer.refollow} stop={stop} unwrap>
            <NodeProgress run={drawer.run} nodes={workflow.nodes} />
          </RunView>
        </div>
      )}
    </div>
  );
}
