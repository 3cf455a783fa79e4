import { Play, Square } from 'lucide-react';
import { Suspense } from 'react';
import { useDocument, useRun } from '../../features/document/context.ts';
import { RunInput } from '../../features/run-view/input/run-input.tsx';
import { useRunViewTexts } from '../../features/run-view/texts/use-run-view-texts.ts';
import { lazy } from '../../lib/code/lazy.ts';
import { Button } from '../../ui/actions/button.tsx';
import { Keys } from '../../ui/display/keys.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { Switch } from '../../ui/forms/toggles.tsx';
import { useEditor } from '../state/context.tsx';
import { useEditorTexts } from '../texts/use-editor-texts.ts';
import { useRunControls, useRunForm } from './run-controls.tsx';
import { RunOutcome } from './run-outcome.tsx';

const CostEstimateNote = lazy(() =>
  import('../../features/workflow/cost-estimate-note.tsx').then((module) => ({
    default: module.CostEstimateNote,
  })),
);

/** The input of the run, the button that starts it, and what came out. */
export function RunPanel() {
  const t = useEditorTexts('run');
  const runTexts = useRunViewTexts();
  const { form, fields, input, busy, problem, start, stop } = useRunControls();
  const test = useRunForm((state) => state.test_run);
  const phase = useRun((state) => state.phase);
  const { workflow_id, catalog } = useEditor();
  const asksModels = useDocument(({ document }) =>
    document.nodes.some(({ type }) => catalog.get(type)?.family === 'ai'),
  );
  return (
    <section aria-label={t('label')} className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 flex-col gap-3 border-b border-line p-3.5">
        <RunInput form={form} fields={fields} input={input} />
        <Switch
          label={t('test_run')}
          hint={t('test_run_hint')}
          checked={test}
          onChange={(test_run) => form.getState().set({ test_run })}
        />
        {asksModels ? (
          <Suspense>
            <CostEstimateNote id={workflow_id} />
          </Suspense>
        ) : null}
        {busy ? (
          <Button tone="danger" busy={phase === 'stopping'} onClick={stop}>
            <Square aria-hidden />
            {runTexts('stop')}
          </Button>
        ) : (
          <Button tone="primary" disabled={input === undefined} onClick={() => void start()}>
            <Play aria-hidden />
            {runTexts('run')}
            <span className="ml-1 max-md:hidden" aria-hidden>
              <Keys keys="mod+enter" inverse />
            </span>
          </Button>
        )}
        <FormProblem text={problem} />
      </div>
      <RunOutcome />
    </section>
  );
}
