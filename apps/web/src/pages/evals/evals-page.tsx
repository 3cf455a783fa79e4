import type { EvalSuiteSummary } from '@millrace/contracts';
import { Link, useNavigate } from '@tanstack/react-router';
import { FlaskConical, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useDeleteEvalSuite, useEvalSuites } from '../../data/evals.ts';
import type { MenuItem } from '../../ui/actions/menu.tsx';
import type { Column } from '../../ui/layout/data-table.tsx';
import { confirm } from '../../ui/overlays/confirm-store.ts';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { menuColumn, nameColumn, updatedColumn } from '../resources/resource-columns.tsx';
import { ResourcePage } from '../resources/resource-page.tsx';
import { useRowDialog } from '../resources/row-dialogs.tsx';
import { EvalStatusChip } from './eval-status.tsx';
import { SuiteDialog } from './suite-dialog.tsx';
import { useEvalsTexts } from './texts/use-evals-texts.ts';

function useColumns(getMenu: (suite: EvalSuiteSummary) => MenuItem[]): Column<EvalSuiteSummary>[] {
  const t = useEvalsTexts();
  const ui = useTranslations('ui');
  return [
    nameColumn(ui, <FlaskConical aria-hidden />, ({ id, name }) => (
      <Link to="/evals/$id" params={{ id }} className="truncate font-medium hover:underline">
        {name}
      </Link>
    )),
    {
      id: 'cases',
      header: t('test_cases'),
      align: 'end',
      wide: true,
      width: '110px',
      cell: ({ test_case_count }) => <span className="text-soft">{test_case_count}</span>,
    },
    {
      id: 'last_run',
      header: t('last_run'),
      width: 'minmax(120px, 1fr)',
      cell: ({ last_run }) =>
        last_run ? (
          <>
            <EvalStatusChip status={last_run.status} look="icon" />
            <span className="truncate">
              {t('passed_of', { passed: last_run.pass_count, total: last_run.total_count })}
            </span>
          </>
        ) : (
          <span className="truncate text-faint">{t('never_run')}</span>
        ),
    },
    updatedColumn(ui),
    menuColumn(ui, getMenu),
  ];
}

/** Eval suites: test cases of prompts that are run over models. */
export function EvalsPage() {
  const t = useEvalsTexts();
  const ui = useTranslations('ui');
  const navigate = useNavigate();
  const [words, setWords] = useState('');
  const dialog = useRowDialog<EvalSuiteSummary>();
  const { mutateAsync: remove } = useDeleteEvalSuite();
  const deleteOne = async ({ id, name, test_case_count }: EvalSuiteSummary) => {
    const sure = await confirm({
      title: t('delete_title', { name }),
      body: t('delete_body', { count: test_case_count }),
      action: ui('delete'),
    });
    if (!sure) return;
    await remove(id).then(() => toast.done(t('deleted', { name })), showFailure);
  };
  const buildMenu = (suite: EvalSuiteSummary): MenuItem[] => [
    { label: t('edit'), icon: <Pencil aria-hidden />, onSelect: () => dialog.edit(suite) },
    { kind: 'separator' },
    {
      label: ui('delete'),
      icon: <Trash2 aria-hidden />,
      tone: 'danger',
      onSelect: () => void deleteOne(suite),
    },
  ];
  const show = (id: string) => void navigate({ to: '/evals/$id', params: { id } });
  const { open, close } = dialog;
  return (
    <ResourcePage
      area="evals"
      texts={t}
      icon={<FlaskConical aria-hidden />}
      query={useEvalSuites()}
      words={words}
      onWords={setWords}
      columns={useColumns(buildMenu)}
      onNew={dialog.onNew}
      onOpen={({ id }) => show(id)}
    >
      {open ? (
        <SuiteDialog suite={open.kind === 'new' ? undefined : open.row} onClose={close} onCreated={show} />
      ) : null}
    </ResourcePage>
  );
}
