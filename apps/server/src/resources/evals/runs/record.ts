import type { EvalColumn, EvalPrompt, EvalResult, EvalRunSummary } from '@millrace/contracts';
import type { CountedRun, ShownResult } from './queries.ts';

export function runSummary({ run, counts }: CountedRun): EvalRunSummary {
  const {
    owner_id: _owner_id,
    next_look_at: _next_look_at,
    claim_id: _claim_id,
    graph_id: _graph_id,
    content_hash: _content_hash,
    started_by_id: _started_by_id,
    ...row
  } = run;
  return {
    ...row,
    ...counts,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

export function resultRecord(
  { result, input, expected_output, ...place }: ShownResult,
  prompts: readonly EvalPrompt[],
): EvalResult {
  const {
    run_id: _run_id,
    run_case_id: _run_case_id,
    prompt_index,
    judge_cost_usd: _judge_cost_usd,
    ...row
  } = result;
  return {
    ...row,
    ...place,
    prompt_name: prompts[prompt_index]?.name ?? '',
    input_snapshot: input,
    expected_snapshot: expected_output,
  };
}

type Summed = Pick<
  EvalResult,
  | 'model_id'
  | 'prompt_name'
  | 'status'
  | 'is_pass'
  | 'latency_ms'
  | 'cost_usd'
  | 'tokens_used'
  | 'actual_output'
>;

function summarizeColumn(
  place: Pick<EvalColumn, 'model_id' | 'prompt_name'>,
  results: readonly Summed[],
): EvalColumn {
  const answered = results.filter(({ actual_output }) => actual_output !== null);
  const sum = (values: readonly (number | null)[]): number | null =>
    values.length === 0 || values.includes(null)
      ? null
      : values.reduce<number>((total, value) => total + (value ?? 0), 0);
  const latencies = answered.flatMap(({ latency_ms }) => latency_ms ?? []);
  return {
    ...place,
    total_count: results.length,
    done_count: results.filter(({ status }) => status === 'completed' || status === 'failed').length,
    pass_count: results.filter(({ is_pass }) => is_pass).length,
    error_count: results.filter(({ status }) => status === 'failed').length,
    cost_usd: sum(answered.map(({ cost_usd }) => cost_usd)),
    tokens_used: sum(answered.map(({ tokens_used }) => tokens_used)),
    average_latency_ms: latencies.length === 0 ? null : Math.round((sum(latencies) ?? 0) / latencies.length),
  };
}

/** The columns that are compared: each model with each prompt, in the order of the run. */
export const summarizeColumns = (
  { models, prompts }: { readonly models: readonly string[]; readonly prompts: readonly EvalPrompt[] },
  results: readonly Summed[],
): EvalColumn[] =>
  prompts.flatMap(({ name: prompt_name }) =>
    models.map((model_id) =>
      summarizeColumn(
        { model_id, prompt_name },
        results.filter((result) => result.model_id === model_id && result.prompt_name === prompt_name),
      ),
    ),
  );
