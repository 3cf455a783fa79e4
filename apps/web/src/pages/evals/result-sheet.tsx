import type { EvalResult, EvalRun } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { useLocale } from 'use-intl';
import { useEvalResult } from '../../data/evals.ts';
import { costText } from '../../lib/cost-text.ts';
import { CodeBlock } from '../../ui/display/code-block.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Chip } from '../../ui/display/status-chip.tsx';
import { Duration } from '../../ui/display/time.tsx';
import { Sheet } from '../../ui/overlays/dialog.tsx';
import { useScoreLook } from './eval-status.tsx';
import { useEvalsTexts } from './texts/use-evals-texts.ts';

interface ResultSheetProps {
  run: EvalRun;
  /** As the list has it. */
  result: EvalResult;
  onClose: () => void;
}

/** One answer with what it was asked, what was expected and why it has its score. */
export function ResultSheet({ run, result, onClose }: ResultSheetProps) {
  const t = useEvalsTexts();
  const whole = useEvalResult({ run: run.id, id: result.id, state: result.status });
  return (
    <Sheet
      open
      width="large"
      title={t('result_title', { number: result.case_index + 1 })}
      description={run.prompts.length > 1 ? `${result.model_id} · ${result.prompt_name}` : result.model_id}
      onOpenChange={onClose}
    >
      {whole.isPending ? <SkeletonRows rows={8} /> : null}
      {whole.isLoadingError ? <LoadFailed error={whole.error} onRetry={() => void whole.refetch()} /> : null}
      {whole.data ? <Loaded result={whole.data} /> : null}
    </Sheet>
  );
}

function Loaded({ result }: { result: EvalResult }) {
  const t = useEvalsTexts();
  const locale = useLocale();
  const look = useScoreLook()(result);
  const texts = [
    [t('input'), result.input_snapshot],
    [t('expected'), result.expected_snapshot],
    [t('answer'), result.actual_output],
  ] as const;
  return (
    <div className="flex flex-col gap-4 p-4">
      <dl className="grid grid-cols-[110px_minmax(0,1fr)] gap-y-1.5 [&_dt]:text-faint">
        <dt>{t('score')}</dt>
        <dd>
          <Chip {...look} look="line" />
        </dd>
        {result.explanation ? (
          <>
            <dt>{t('reason')}</dt>
            <dd className="break-words whitespace-pre-wrap">{result.explanation}</dd>
          </>
        ) : null}
        <dt>{t('time')}</dt>
        <dd>
          <Duration ms={result.latency_ms} />
        </dd>
        <dt>{t('tokens')}</dt>
        <dd>{result.tokens_used?.toLocaleString(locale) ?? '–'}</dd>
        <dt>{t('cost')}</dt>
        <dd>{result.cost_usd === null ? t('cost_unknown') : costText(result.cost_usd, locale)}</dd>
      </dl>
      {result.execution_id === null ? null : (
        <Link
          to="/runs/$id"
          params={{ id: result.execution_id }}
          className="text-accent-text underline-offset-2 hover:underline"
        >
          {t('execution')}
        </Link>
      )}
      {result.error === null ? null : (
        <p
          role="alert"
          className="rounded-m border border-danger-line bg-danger-tint px-3 py-2 break-words text-danger"
        >
          {result.error}
        </p>
      )}
      {texts.map(([label, text]) =>
        text === null ? (
          <p key={label} className="text-soft">
            {t('no_answer')}
          </p>
        ) : (
          <CodeBlock key={label} label={label} caption={label} code={text} wrap />
        ),
      )}
    </div>
  );
}
