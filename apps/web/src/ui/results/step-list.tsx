import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { FoldButton, FoldMark } from '../actions/fold-button.tsx';
import { StatusChip } from '../display/status-chip.tsx';
import { Duration } from '../display/time.tsx';
import { ResultView } from './result-view.tsx';
import { type ShownStep, shownSteps } from './shown-steps.ts';

/** The work of a node step by step: questions to models, uses of tools, calls. One opens at a time. */
export function StepList({ steps, className }: { steps: unknown; className?: string }) {
  const t = useTranslations('ui');
  const [open, setOpen] = useState<string>();
  const shown = shownSteps(steps);
  if (shown.length === 0) return null;
  return (
    <section aria-label={t('steps')} className={className}>
      <h4 className="px-3.5 pt-2 pb-1 text-sm font-medium text-soft">{t('steps')}</h4>
      <ol className="pb-2">
        {shown.map((step) => (
          <li key={step.id}>
            <StepRow
              step={step}
              open={open === step.id}
              onToggle={() => setOpen(open === step.id ? undefined : step.id)}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}

function StepRow({ step, open, onToggle }: { step: ShownStep; open: boolean; onToggle: () => void }) {
  const t = useTranslations('ui');
  const name =
    step.kind === 'model' ? t('step_model') : step.kind === 'summary' ? t('step_summary') : step.name;
  return (
    <>
      <FoldButton
        open={open}
        onToggle={onToggle}
        style={{ paddingLeft: 14 + step.depth * 16 }}
        className="flex items-center gap-2 py-1 pr-3.5 text-sm"
      >
        <FoldMark open={open} />
        <StatusChip status={step.status} look="icon" />
        <span className="min-w-0 shrink-0 truncate font-medium">{name}</span>
        <span className="min-w-0 grow truncate text-faint">{step.about}</span>
        {step.tokens === undefined ? null : (
          <span className="tabular shrink-0 text-faint">{t('tokens', { count: step.tokens })}</span>
        )}
        <Duration ms={step.ms} className="tabular shrink-0 text-faint" />
      </FoldButton>
      {open ? (
        <div className="border-y border-line bg-canvas">
          {step.error === undefined ? null : (
            <p className="border-b border-line px-4 py-2 break-words text-danger">{step.error}</p>
          )}
          <ResultView
            className="max-h-80 min-h-24"
            label={t('output_of_step', { name })}
            value={step.output}
          />
        </div>
      ) : null}
    </>
  );
}
