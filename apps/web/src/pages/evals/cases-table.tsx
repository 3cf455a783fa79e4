import type { EvalSuite, EvalTestCase, EvalTextMode } from '@millrace/contracts';
import { Plus, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useAddEvalTestCases, useDeleteEvalTestCase, useUpdateEvalTestCase } from '../../data/evals.ts';
import { Button } from '../../ui/actions/button.tsx';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { EmptyState } from '../../ui/display/empty-state.tsx';
import { TextArea } from '../../ui/forms/input.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { type Column, DataTable } from '../../ui/layout/data-table.tsx';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { useEvalsTexts } from './texts/use-evals-texts.ts';

interface CaseTextProps {
  value: string;
  label: string;
  onSave: (value: string) => Promise<unknown>;
}

/** A text that is saved when it is left. What the service refuses stays in the field, with the reason. */
function CaseText({ value, label, onSave }: CaseTextProps) {
  const [text, setText] = useState(value);
  const [problem, setProblem] = useState<string>();
  const save = () => {
    if (text === value) return setProblem(undefined);
    onSave(text).then(
      () => setProblem(undefined),
      (error: Error) => setProblem(error.message),
    );
  };
  return (
    <span className="flex w-full flex-col gap-1 py-1.5">
      <TextArea
        aria-label={label}
        rows={2}
        value={text}
        {...(problem ? { 'aria-invalid': true as const, title: problem } : {})}
        onChange={(event) => setText(event.target.value)}
        onBlur={save}
      />
      {problem ? (
        <span role="alert" className="text-sm text-danger">
          {problem}
        </span>
      ) : null}
    </span>
  );
}

type NumberedCase = EvalTestCase & { number: number };

function useColumns(suite: EvalSuite): Column<NumberedCase>[] {
  const t = useEvalsTexts();
  const { mutateAsync: update } = useUpdateEvalTestCase();
  const { mutateAsync: remove } = useDeleteEvalTestCase();
  const byMode = suite.scoring_method === 'exact_match' || suite.scoring_method === 'contains';
  const change = (case_id: string, body: Parameters<typeof update>[0]['body']) =>
    update({ params: { id: suite.id, case_id }, body });
  const deleteOne = (case_id: string) =>
    void remove({ params: { id: suite.id, case_id } }).then(() => toast.done(t('case_deleted')), showFailure);
  const mode: Column<NumberedCase> = {
    id: 'mode',
    header: t('compare_as'),
    wide: true,
    width: '130px',
    cell: ({ id, number, expected_mode }) => (
      <Select<EvalTextMode>
        aria-label={t('compare_as_of', { number })}
        value={expected_mode}
        choices={(['text', 'json'] as const).map((value) => ({ value, label: t(`mode_${value}`) }))}
        onChange={(value) => void change(id, { expected_mode: value }).catch(showFailure)}
      />
    ),
  };
  return [
    {
      id: 'number',
      header: t('number'),
      width: '44px',
      align: 'end',
      cell: ({ number }) => <span className="text-faint">{number}</span>,
    },
    {
      id: 'input',
      header: t('input'),
      width: 'minmax(0, 1fr)',
      cell: ({ id, number, input }) => (
        <CaseText
          value={input}
          label={t('input_of', { number })}
          onSave={(text) => change(id, { input: text })}
        />
      ),
    },
    {
      id: 'expected',
      header: t('expected'),
      width: 'minmax(0, 1fr)',
      cell: ({ id, number, expected_output }) => (
        <CaseText
          value={expected_output}
          label={t('expected_of', { number })}
          onSave={(text) => change(id, { expected_output: text })}
        />
      ),
    },
    ...(byMode ? [mode] : []),
    {
      id: 'delete',
      header: t('delete_case', { number: '' }),
      hideHeader: true,
      width: '48px',
      align: 'end',
      cell: ({ id, number }) => (
        <IconButton
          size="small"
          label={t('delete_case', { number })}
          icon={<Trash2 aria-hidden />}
          onClick={() => deleteOne(id)}
        />
      ),
    },
  ];
}

/** The test cases of a suite, edited in place. */
export function CasesTable({ suite, onGenerate }: { suite: EvalSuite; onGenerate: () => void }) {
  const t = useEvalsTexts();
  const add = useAddEvalTestCases();
  const place = useRef<HTMLDivElement>(null);
  const [isAdded, setAdded] = useState(false);
  const count = suite.test_cases.length;
  // The new row is there once the suite was read again.
  useEffect(() => {
    if (!isAdded) return;
    setAdded(false);
    [...(place.current?.querySelectorAll<HTMLElement>('[role="row"]') ?? [])]
      .at(-1)
      ?.querySelector('textarea')
      ?.focus();
  }, [isAdded]);
  const addOne = () =>
    void add.mutateAsync({ id: suite.id, cases: [{ input: '' }] }).then(() => setAdded(true), showFailure);
  const buttons = (
    <>
      <Button busy={add.isPending} onClick={addOne}>
        <Plus aria-hidden />
        {t('add_case')}
      </Button>
      <Button onClick={onGenerate}>{t('generate')}</Button>
    </>
  );
  const columns = useColumns(suite);
  if (count === 0) {
    return (
      <EmptyState title={t('no_cases')} actions={buttons}>
        {t('no_cases_hint')}
      </EmptyState>
    );
  }
  return (
    <div ref={place}>
      <DataTable
        label={t('test_cases')}
        columns={columns}
        rows={suite.test_cases.map((one, at) => ({ ...one, number: at + 1 }))}
        rowKey={({ id }) => id}
      />
      <div className="flex flex-wrap gap-2 px-4 py-3">{buttons}</div>
    </div>
  );
}
