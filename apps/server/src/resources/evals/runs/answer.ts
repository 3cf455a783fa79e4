import { NodeFailure } from '@millrace/engine';
import { type Completion, computeCost, type ModelCallNote } from '@millrace/models';
import type { Score } from '../../../core/scoring/score.ts';
import { storableText } from '../../../execution/store/encoding/columns.ts';
import type { Services } from '../../../services.ts';
import { type Ask, openModel } from '../../open-model.ts';
import { judgeRequest, readVerdict } from '../scoring/judge.ts';
import type { ResultRow, RunRow } from './queries.ts';
import { type Asked, type Given, workflowAnswer } from './workflow-answer.ts';

const LIMITS = {
  call_ms: 120_000,
  /** Runs have time: a provider may ask for longer pauses than where a person waits. */
  max_wait_ms: 120_000,
} as const;

/** Most tokens that a judge may write. */
const JUDGE_TOKENS = 4_000;

interface Question {
  readonly credential_id: string | null;
  readonly model: string;
  readonly max_tokens: number | undefined;
  readonly request: Ask;
}

const failed = (message: string) => new NodeFailure({ kind: 'upstream', message });

/** Asks with the rights of the owner of the run, and adds up what the calls cost by list price; null when one has no price. */
async function ask(
  services: Services,
  { run, signal }: Pick<Asked, 'run' | 'signal'>,
  { credential_id, model, max_tokens, request }: Question,
): Promise<{ answer: Completion; cost_usd: number | null }> {
  if (credential_id === null) throw failed('The credential was deleted');
  const calls: ModelCallNote[] = [];
  const open = openModel(
    services,
    {
      user_id: run.owner_id,
      source: 'eval',
      signal,
      limits: { ...LIMITS, answer_tokens: max_tokens },
      onCall: (call) => calls.push(call),
    },
    { credential_id, model },
  );
  const answer = await open.ask(request);
  const costs = calls.map((call) => computeCost(call, services.config.MODEL_PRICES));
  const cost_usd = costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
  return { answer, cost_usd };
}

/** Text of a model as it may be stored: without values of credentials, which a prompt may have had. */
async function shown({ run_secrets }: Services, { owner_id }: RunRow, text: string): Promise<string> {
  const { masker } = await run_secrets.getSecrets(owner_id);
  return storableText(masker ? masker.mask(text) : text);
}

const scored = ({ score, is_pass, explanation }: Score): Partial<ResultRow> => ({
  status: 'completed',
  score,
  is_pass,
  explanation: explanation === null ? null : storableText(explanation),
});

/** The answer of the model. */
async function modelAnswer(services: Services, { run, turn, signal }: Asked): Promise<Given> {
  const { answer, cost_usd } = await ask(
    services,
    { run, signal },
    {
      credential_id: run.credential_id,
      model: turn.model_id,
      max_tokens: run.max_tokens ?? undefined,
      request: {
        system: run.prompts[turn.prompt_index]?.system_prompt ?? '',
        messages: [{ role: 'user', text: turn.input }],
        temperature: run.temperature ?? undefined,
        reasoning_effort: run.reasoning_effort ?? undefined,
      },
    },
  );
  const { total_tokens } = answer.usage;
  return {
    actual_output: await shown(services, run, answer.text),
    cost_usd,
    latency_ms: Math.round(answer.elapsed_ms),
    tokens_used: total_tokens === 0 ? null : total_tokens,
  };
}

/** The outcome of a pending result: its score, or its answer, which a judge scores then. */
export async function answerTurn(services: Services, asked: Asked): Promise<Partial<ResultRow>> {
  const { run } = asked;
  const given = await (run.graph_id === null
    ? modelAnswer(services, asked)
    : workflowAnswer(services, asked));
  if (run.scoring_method === 'llm_judge') return { ...given, status: 'answered' };
  return { ...given, ...(await score(services, asked, given.actual_output)) };
}

/** An answer that cannot be compared is kept: it is paid for. */
async function score(
  { parsers }: Services,
  { run, turn, signal }: Asked,
  answer: string,
): Promise<Partial<ResultRow>> {
  if (run.scoring_method === 'llm_judge') return {};
  const expected = { text: turn.expected_output, mode: turn.expected_mode };
  try {
    return scored(
      await parsers.run('eval_score', [run.scoring_method, answer, expected], {
        what: 'The answer',
        action: 'check',
        signal,
        owner: run.owner_id,
      }),
    );
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    return { status: 'failed', error: storableText(error.failure.message) };
  }
}

/** The verdict on an answer that is there. */
export async function judgeTurn(
  services: Services,
  { run, turn, signal }: Asked,
): Promise<Partial<ResultRow>> {
  const request = judgeRequest({
    instructions: run.prompts[turn.prompt_index]?.system_prompt ?? '',
    input: turn.input,
    expected: turn.expected_output,
    answer: turn.actual_output ?? '',
  });
  const question = {
    credential_id: run.judge_credential_id,
    model: run.judge_model ?? '',
    max_tokens: JUDGE_TOKENS,
    request,
  };
  const { answer, cost_usd } = await ask(services, { run, signal }, question);
  const verdict = readVerdict(answer);
  if ('problem' in verdict) {
    const error = await shown(services, run, `The judge ${verdict.problem}`);
    return { status: 'failed', error, judge_cost_usd: cost_usd };
  }
  const explanation = verdict.explanation === null ? null : await shown(services, run, verdict.explanation);
  return { ...scored({ ...verdict, explanation }), judge_cost_usd: cost_usd };
}
