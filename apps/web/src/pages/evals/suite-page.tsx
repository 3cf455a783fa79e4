import type { EvalRunSummary, EvalSuite } from '@millrace/contracts';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { FlaskConical, Pencil } from 'lucide-react';
import { useState } from 'react';
import { useLocale, useTranslations } from 'use-intl';
import { useEvalRuns, useEvalSuite, useUpdateEvalSuite } from '../../data/evals.ts';
import { isNotFound } from '../../data/refusal.ts';
import { costText } from '../../lib/cost-text.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { EmptyState, LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Ago } from '../../ui/display/time.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { BackLink } from '../../ui/layout/back-link.tsx';
import { type Column, DataTable } from '../../ui/layout/data-table.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { NotFoundPage } from '../errors/not-found-page.tsx';
import { CasesTable } from './cases-table.tsx';
import { EvalStatusChip } from './eval-status.tsx';
import { PromptFields } from './prompt-fields.tsx';
import { GenerateDialog, OptimizeDialog } from './proposal-dialogs.tsx';
import { RunDialog } from './run-dialog.tsx';
import { SuiteDialog } from './suite-dialog.tsx';
import { useEvalsTexts } from './texts/use-evals-texts.ts';

/** A suite: its test cases, its prompt and its runs. */
export function EvalSuitePage() {
  const t = useEvalsTexts();
  const { id } = useParams({ from: '/app/evals/$id' });
  const suite = useEvalSuite(id);
  if (suite.data) return <LoadedSuite key={id} suite={suite.data} />;
  if (isNotFound(suite.error)) return <NotFoundPage />;
  return (
    <Page title={t('title')} lead={<BackLink to="/evals" label={t('title')} />}>
      {suite.isLoadingError ? (
        <LoadFailed error={suite.error} onRetry={() => void suite.refetch()} />
      ) : (
        <SkeletonRows />
      )}
    </Page>
  );
}

type Part = 'cases' | 'prompt' | 'runs';

function LoadedSuite({ suite }: { suite: EvalSuite }) {
  const t = useEvalsTexts();
  const navigate = useNavigate();
  const [part, setPart] = useState<Part>('cases');
  const [open, setOpen] = useState<'run' | 'edit' | 'generate'>();
  const runs = useEvalRuns(suite.id);
  const close = () => setOpen(undefined);
  return (
    <Page
      fill
      title={suite.name}
      lead={<BackLink to="/evals" label={t('title')} />}
      actions={
        <>
          <IconButton label={t('edit')} icon={<Pencil aria-hidden />} onClick={() => setOpen('edit')} />
          <Button tone="primary" disabled={suite.test_cases.length === 0} onClick={() => setOpen('run')}>
            <FlaskConical aria-hidden />
            {t('run')}
          </Button>
        </>
      }
    >
      <Tabs<Part>
        className="grow"
        value={part}
        onChange={setPart}
        label={suite.name}
        tabs={[
          {
            value: 'cases',
            label: t('cases_tab'),
            count: suite.test_cases.length,
            content: <CasesTable suite={suite} onGenerate={() => setOpen('generate')} />,
          },
          { value: 'prompt', label: t('prompt_tab'), content: <PromptForm suite={suite} /> },
          {
            value: 'runs',
            label: t('runs_tab'),
            count: runs.data?.length,
            content: <Runs query={runs} suite_id={suite.id} />,
          },
        ]}
      />
      {open === 'edit' ? <SuiteDialog suite={suite} onClose={close} /> : null}
      {open === 'generate' ? <GenerateDialog suite={suite} onClose={close} /> : null}
      {open === 'run' ? (
        <RunDialog
          suite={suite}
          onClose={close}
          onStarted={(run) =>
            void navigate({ to: '/evals/$id/runs/$run', params: { id: suite.id, run: run.id } })
          }
        />
      ) : null}
    </Page>
  );
}

function PromptForm({ suite }: { suite: EvalSuite }) {
  const t = useEvalsTexts();
  const ui = useTranslations('ui');
  const update = useUpdateEvalSuite();
  const [isAsking, setAsking] = useState(false);
  const form = useForm({
    initial: { system_prompt: suite.system_prompt, scoring_method: suite.scoring_method },
    submit: async (values) => {
      await update.mutateAsync({ params: { id: suite.id }, body: values });
      toast.done(t('prompt_saved'));
    },
  });
  return (
    <form {...form.props} className="flex max-w-3xl flex-col gap-4 p-4 sm:p-5">
      <FormProblem text={form.problem} />
      <PromptFields form={form} rows={12} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" tone="primary" busy={form.busy}>
          {ui('save')}
        </Button>
        <Button onClick={() => setAsking(true)}>{t('improve')}</Button>
      </div>
      {isAsking ? (
        <OptimizeDialog
          suite={suite}
          prompt={form.values.system_prompt}
          onClose={() => setAsking(false)}
          onUse={(system_prompt) => {
            form.change({ system_prompt });
            setAsking(false);
          }}
        />
      ) : null}
    </form>
  );
}

function useRunColumns(suite_id: string): Column<EvalRunSummary>[] {
  const t = useEvalsTexts();
  const locale = useLocale();
  return [
    {
      id: 'name',
      header: t('name'),
      width: 'minmax(140px, 2fr)',
      cell: ({ id, name, status }) => (
        <>
          <EvalStatusChip status={status} look="icon" />
          <Link
            to="/evals/$id/runs/$run"
            params={{ id: suite_id, run: id }}
            className="truncate font-medium hover:underline"
          >
            {name}
          </Link>
        </>
      ),
    },
    {
      id: 'status',
      header: t('status'),
      wide: true,
      width: '130px',
      cell: ({ status }) => <span className="truncate text-soft">{t(`status_${status}`)}</span>,
    },
    {
      id: 'passed',
      header: t('passed'),
      width: 'minmax(110px, 1fr)',
      cell: ({ pass_count, total_count }) => (
        <span className="truncate">{t('passed_of', { passed: pass_count, total: total_count })}</span>
      ),
    },
    {
      id: 'cost',
      header: t('cost'),
      wide: true,
      align: 'end',
      width: '90px',
      cell: ({ cost_usd }) => (cost_usd === null ? t('cost_unknown') : costText(cost_usd, locale)),
    },
    {
      id: 'begun',
      header: t('begun'),
      wide: true,
      width: '130px',
      cell: ({ created_at }) => <Ago at={created_at} className="truncate text-soft" />,
    },
  ];
}

function Runs({ query, suite_id }: { query: ReturnType<typeof useEvalRuns>; suite_id: string }) {
  const t = useEvalsTexts();
  const navigate = useNavigate();
  const columns = useRunColumns(suite_id);
  if (query.isPending) return <SkeletonRows />;
  if (query.isLoadingError) return <LoadFailed error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data.length === 0) return <EmptyState title={t('no_runs')}>{t('no_runs_hint')}</EmptyState>;
  return (
    <DataTable
      label={t('runs_tab')}
      columns={columns}
      rows={query.data}
      rowKey={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: '/evals/$id/runs/$run', params: { id: suite_id, run: id } })}
    />
  );
}
