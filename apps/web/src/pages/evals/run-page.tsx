import type { EvalColumn, EvalRun } from '@millrace/contracts';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Square, Trash2 } from 'lucide-react';
import { useLocale, useTranslations } from 'use-intl';
import { isUnderWay, useCancelEvalRun, useDeleteEvalRun, useEvalRun } from '../../data/evals.ts';
import { isNotFound } from '../../data/refusal.ts';
import { costText } from '../../lib/cost-text.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { ProgressBar } from '../../ui/display/progress-bar.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Duration } from '../../ui/display/time.tsx';
import { BackLink } from '../../ui/layout/back-link.tsx';
import { type Column, DataTable } from '../../ui/layout/data-table.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { NotFoundPage } from '../errors/not-found-page.tsx';
import { EvalStatusChip } from './eval-status.tsx';
import { ResultGrid } from './result-grid.tsx';
import { ResultSheet } from './result-sheet.tsx';
import { useEvalsTexts } from './texts/use-evals-texts.ts';

const route = getRouteApi('/app/evals/$id/runs/$run');

/** A run of a suite: its progress, and its results side by side. */
export function EvalRunPage() {
  const t = useEvalsTexts();
  const { id, run: run_id } = route.useParams();
  const run = useEvalRun(run_id);
  if (run.data) return <LoadedRun suite_id={id} run={run.data} />;
  if (isNotFound(run.error)) return <NotFoundPage />;
  return (
    <Page title={t('title')} lead={<BackLink to="/evals/$id" params={{ id }} label={t('suite')} />}>
      {run.isLoadingError ? (
        <LoadFailed error={run.error} onRetry={() => void run.refetch()} />
      ) : (
        <SkeletonRows />
      )}
    </Page>
  );
}

function Actions({ suite_id, run }: { suite_id: string; run: EvalRun }) {
  const t = useEvalsTexts();
  const ui = useTranslations('ui');
  const navigate = useNavigate();
  const cancel = useCancelEvalRun();
  const { mutateAsync: remove } = useDeleteEvalRun();
  const deleteIt = async () => {
    const { id, name } = run;
    const sure = await confirm({
      title: t('delete_run_title', { name }),
      body: t('delete_run_body'),
      action: ui('delete'),
    });
    if (!sure) return;
    await navigate({ to: '/evals/$id', params: { id: suite_id } });
    await remove(id).then(() => toast.done(t('run_deleted')), showFailure);
  };
  return (
    <>
      {isUnderWay(run.status) ? (
        <Button busy={cancel.isPending} onClick={() => cancel.mutate(run.id, { onError: showFailure })}>
          <Square aria-hidden />
          {t('cancel_run')}
        </Button>
      ) : null}
      <IconButton label={t('delete_run')} icon={<Trash2 aria-hidden />} onClick={() => void deleteIt()} />
    </>
  );
}

function LoadedRun({ suite_id, run }: { suite_id: string; run: EvalRun }) {
  const t = useEvalsTexts();
  const locale = useLocale();
  const { result } = route.useSearch();
  const navigate = route.useNavigate();
  const open = (next: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, result: next }), replace: result !== undefined });
  const { done_count: done, total_count: total, judge_cost_usd } = run;
  const shown = run.results.find(({ id }) => id === result);
  const words = t('progress', { done, total });
  return (
    <Page
      title={run.name}
      lead={<BackLink to="/evals/$id" params={{ id: suite_id }} label={t('suite')} />}
      badge={<EvalStatusChip status={run.status} />}
      actions={<Actions suite_id={suite_id} run={run} />}
    >
      <div className="flex flex-col gap-6 py-4">
        {run.error === null ? null : (
          <p
            role="alert"
            className="mx-4 rounded-m border border-danger-line bg-danger-tint px-3 py-2 break-words text-danger"
          >
            {run.error}
          </p>
        )}
        <div className="flex flex-wrap items-center gap-3 px-4 text-sm text-soft sm:px-5">
          {isUnderWay(run.status) ? (
            <ProgressBar label={words} share={done / total} className="w-40" />
          ) : null}
          <span>{words}</span>
          <span>{t(`scoring_${run.scoring_method}`)}</span>
          {judge_cost_usd === null || run.judge_model === null ? null : (
            <span>{t('judge_cost', { cost: costText(judge_cost_usd, locale) })}</span>
          )}
        </div>
        <section aria-label={t('comparison')}>
          <DataTable
            label={t('comparison')}
            columns={useComparison(run)}
            rows={run.columns}
            rowKey={({ model_id, prompt_name }) => `${prompt_name}\n${model_id}`}
          />
        </section>
        <section className="flex flex-col gap-2" aria-label={t('results')}>
          <h2 className="px-4 text-base font-semibold sm:px-5">{t('results')}</h2>
          <ResultGrid run={run} onOpen={open} />
        </section>
      </div>
      {shown ? <ResultSheet run={run} result={shown} onClose={() => open(undefined)} /> : null}
    </Page>
  );
}

/** Each model and prompt as a row. */
function useComparison({ prompts }: EvalRun): Column<EvalColumn>[] {
  const t = useEvalsTexts();
  const locale = useLocale();
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  return [
    {
      id: 'model',
      header: t('model'),
      width: 'minmax(130px, 2fr)',
      cell: ({ model_id, prompt_name }) => (
        <span className="min-w-0">
          <span className="block truncate font-medium">{model_id}</span>
          {prompts.length > 1 ? (
            <span className="block truncate text-sm text-faint">{prompt_name}</span>
          ) : null}
        </span>
      ),
    },
    {
      id: 'passed',
      header: t('passed'),
      align: 'end',
      width: '110px',
      cell: ({ pass_count, done_count }) =>
        done_count === 0 ? '–' : `${percent.format(pass_count / done_count)} (${pass_count}/${done_count})`,
    },
    {
      id: 'latency',
      header: t('latency'),
      align: 'end',
      wide: true,
      width: '120px',
      cell: ({ average_latency_ms }) => <Duration ms={average_latency_ms} />,
    },
    {
      id: 'tokens',
      header: t('tokens'),
      align: 'end',
      wide: true,
      width: '90px',
      cell: ({ tokens_used }) => tokens_used?.toLocaleString(locale) ?? '–',
    },
    {
      id: 'cost',
      header: t('cost'),
      align: 'end',
      width: '90px',
      cell: ({ cost_usd }) => (cost_usd === null ? t('cost_unknown') : costText(cost_usd, locale)),
    },
    {
      id: 'errors',
      header: t('errors'),
      align: 'end',
      wide: true,
      width: '90px',
      cell: ({ error_count }) => error_count.toLocaleString(locale),
    },
  ];
}
