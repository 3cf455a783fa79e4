import type { EvalColumn, EvalResult, EvalRun } from '@millrace/contracts';
import { useMemo } from 'react';
import { Chip } from '../../ui/display/status-chip.tsx';
import { useScoreLook } from './eval-status.tsx';
import { useEvalsTexts } from './texts/use-evals-texts.ts';

const buildColumnKey = ({ model_id, prompt_name }: Pick<EvalColumn, 'model_id' | 'prompt_name'>) =>
  `${prompt_name}\n${model_id}`;

/** Results of a run by test case and by model with prompt. */
function byCase(results: readonly EvalResult[]): Map<number, Map<string, EvalResult[]>> {
  const rows = new Map<number, Map<string, EvalResult[]>>();
  for (const result of results) {
    const row = rows.get(result.case_index) ?? new Map<string, EvalResult[]>();
    rows.set(result.case_index, row);
    row.set(buildColumnKey(result), [...(row.get(buildColumnKey(result)) ?? []), result]);
  }
  return rows;
}

/** A row for each test case, a column for each model with a prompt: scores, and how the answers begin. */
export function ResultGrid({ run, onOpen }: { run: EvalRun; onOpen: (id: string) => void }) {
  const t = useEvalsTexts();
  const rows = useMemo(() => byCase(run.results), [run.results]);
  return (
    <div className="overflow-x-auto border-y border-line">
      <table aria-label={t('results')} className="w-full min-w-max border-collapse text-left align-top">
        <thead>
          <tr className="text-sm text-faint [&>th]:px-4 [&>th]:py-2 [&>th]:font-medium">
            <th scope="col">{t('test_case')}</th>
            {run.columns.map((column) => (
              <th key={buildColumnKey(column)} scope="col">
                {column.model_id}
                {run.prompts.length > 1 ? ` · ${column.prompt_name}` : ''}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...rows].map(([at, row]) => (
            <tr key={at} className="border-t border-line align-top">
              <th scope="row" className="w-56 max-w-56 px-4 py-2 font-normal">
                <span className="line-clamp-3 break-words">
                  <span className="text-faint">{at + 1}. </span>
                  {row.values().next().value?.[0]?.input_snapshot}
                </span>
              </th>
              {run.columns.map((column) => (
                <td key={buildColumnKey(column)} className="w-56 max-w-72 px-2 py-1">
                  {row.get(buildColumnKey(column))?.map((result) => (
                    <ResultCell key={result.id} result={result} onOpen={onOpen} />
                  ))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ResultCell({ result, onOpen }: { result: EvalResult; onOpen: (id: string) => void }) {
  const t = useEvalsTexts();
  const look = useScoreLook()(result);
  const label = { number: result.case_index + 1, model: result.model_id, score: look.word };
  return (
    <button
      type="button"
      aria-label={t('open_result', label)}
      className="block w-full rounded-s px-2 py-1 text-left hover:bg-hover"
      onClick={() => onOpen(result.id)}
    >
      <Chip {...look} look="line" />
      <span className="line-clamp-2 text-sm break-words text-soft">
        {result.error ?? result.actual_output ?? ''}
      </span>
    </button>
  );
}
