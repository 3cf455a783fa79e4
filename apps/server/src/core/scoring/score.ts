import { isDeepStrictEqual } from 'node:util';
import type { EvalScoring, EvalTextMode } from '@millrace/contracts';
import { isJsonObject, type Json } from '@millrace/engine';
import { readJsonAnswer, readSchemaCheck } from '@millrace/models';
import type { QuickRules } from '@millrace/nodes/parsers';

export interface Score {
  /** `pass` or `fail`, or 0 to 100. */
  readonly score: string;
  readonly is_pass: boolean;
  /** The finding of the comparison; null where the texts say it themselves. */
  readonly explanation: string | null;
}

export interface Expected {
  readonly text: string;
  readonly mode: EvalTextMode;
}

const pass: Score = { score: 'pass', is_pass: true, explanation: null };
const fail = (explanation: string | null = null): Score => ({ score: 'fail', is_pass: false, explanation });
const when = (isPass: boolean): Score => (isPass ? pass : fail());

/** Scores an answer without a model. */
export function scoreAnswer(
  method: Exclude<EvalScoring, 'llm_judge'>,
  answer: string,
  expected: Expected,
): Score {
  if (method === 'schema') return withSchema(answer, expected.text);
  if (expected.mode === 'json') return asJson(method, answer, expected.text);
  return method === 'exact_match'
    ? when(answer.trim() === expected.text.trim())
    : when(answer.toLowerCase().includes(expected.text.trim().toLowerCase()));
}

function withSchema(answer: string, text: string): Score {
  const schema = readSchemaCheck(text);
  if (!schema.value) return fail(`The expected output ${schema.problem}`);
  const { value, problem } = readJsonAnswer(answer, false);
  if (value === undefined) return fail(`The answer is not JSON: ${problem}`);
  const wrong = schema.value(value);
  return wrong === undefined ? pass : fail(`The answer does not follow the schema: ${wrong}`);
}

function asJson(method: 'exact_match' | 'contains', answer: string, text: string): Score {
  const wanted = readJsonAnswer(text, false);
  if (wanted.value === undefined) return fail(`The expected output is not JSON: ${wanted.problem}`);
  const given = readJsonAnswer(answer, false);
  if (given.value === undefined) return fail(`The answer is not JSON: ${given.problem}`);
  return when(
    method === 'exact_match'
      ? isDeepStrictEqual(given.value, wanted.value)
      : holds(given.value, wanted.value),
  );
}

/** Every expected property and entry is in the value; it may have more. */
function holds(value: Json, wanted: Json): boolean {
  if (Array.isArray(wanted)) {
    return Array.isArray(value) && wanted.every((one) => value.some((entry) => holds(entry, one)));
  }
  if (!isJsonObject(wanted)) return value === wanted;
  return (
    isJsonObject(value) &&
    Object.entries(wanted).every(([key, part]) => {
      const own = Object.hasOwn(value, key) ? value[key] : undefined;
      return own !== undefined && holds(own, part);
    })
  );
}

/** The problem with an expected output for a way of scoring, as a sentence without a subject. */
export function expectationProblem(method: EvalScoring, { text, mode }: Expected): string | undefined {
  if (method === 'schema') return readSchemaCheck(text).problem;
  if (mode === 'json') {
    const { problem } = readJsonAnswer(text, false);
    return problem === undefined ? undefined : `is not JSON: ${problem}`;
  }
  return method === 'contains' && text.trim() === '' ? 'is empty, which every answer contains' : undefined;
}

/** The first expected output that does not fit a way of scoring. */
function firstProblem(
  method: EvalScoring,
  expected: readonly Expected[],
): { readonly at: number; readonly problem: string } | undefined {
  for (const [at, one] of expected.entries()) {
    const problem = expectationProblem(method, one);
    if (problem !== undefined) return { at, problem };
  }
  return undefined;
}

/** A schema of a few hundred characters, or two long lists, can take hours to compare. */
export const SCORE_PARSERS = { eval_score: scoreAnswer, eval_problem: firstProblem };

/** Texts are compared in linear time. */
export const QUICK_SCORE_RULES: QuickRules<typeof SCORE_PARSERS> = {
  eval_score: (method, answer, { text, mode }) =>
    method !== 'schema' && mode === 'text' && answer.length + text.length <= 100_000,
  eval_problem: (method, expected) => method !== 'schema' && expected.every(({ mode }) => mode === 'text'),
};
