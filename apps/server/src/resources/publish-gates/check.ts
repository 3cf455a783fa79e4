import type { GateSuite, GateSuiteState, PublishGate, WorkflowRole } from '@millrace/contracts';
import { conflict, forbidden } from '../../core/app-error.ts';
import type { Db } from '../../database/database.ts';
import { type DraftRun, newestDraftRuns } from '../evals/runs/draft-runs.ts';
import type { Graph } from '../workflows/record.ts';
import { contentHash } from './content-hash.ts';
import { type GateEntry, listEntries } from './queries.ts';

export interface Gated {
  readonly workflow_id: string;
  /** The graph that is to be published. */
  readonly graph: Graph;
  /** Of the person who looks at it or publishes it. */
  readonly role: WorkflowRole;
}

/** A run says nothing about a suite that would be scored in another way now. */
function isScoredAsNow({ gate, suite }: GateEntry, { run, has_cases_of_now }: DraftRun): boolean {
  if (!has_cases_of_now || run.scoring_method !== suite?.scoring_method) return false;
  if (run.scoring_method !== 'llm_judge') return true;
  return run.judge_model === gate.judge_model && run.prompts[0]?.system_prompt === suite.system_prompt;
}

function determineState(entry: GateEntry, run: DraftRun | undefined): GateSuiteState {
  if (!entry.suite) return 'deleted';
  if (entry.test_case_count === 0) return 'empty';
  if (!run) return 'not_run';
  if (!isScoredAsNow(entry, run)) return 'outdated';
  if (run.run.finished_at === null) return 'running';
  const { pass_count, total_count } = run.counts;
  return pass_count * 100 >= entry.gate.least_pass_percent * total_count ? 'passed' : 'failed';
}

function toGateSuite(entry: GateEntry, run: DraftRun | undefined, role: WorkflowRole): GateSuite {
  const { gate, suite } = entry;
  const counts = run?.counts ?? { total_count: 0, done_count: 0, pass_count: 0 };
  const { total_count, done_count, pass_count } = counts;
  const has_ended = run !== undefined && run.run.finished_at !== null && total_count > 0;
  return {
    suite_id: gate.suite_id,
    suite_name: suite?.name ?? gate.suite_name,
    least_pass_percent: gate.least_pass_percent,
    judge_credential_id: gate.judge_credential_id,
    judge_model: gate.judge_model,
    state: determineState(entry, run),
    // The suite and its runs belong to the owner alone.
    run_id: role === 'owner' ? (run?.run.id ?? null) : null,
    total_count,
    done_count,
    pass_count,
    pass_percent: has_ended ? Math.floor((pass_count / total_count) * 1_000) / 10 : null,
    error: run?.run.error ?? null,
    finished_at: run?.run.finished_at?.toISOString() ?? null,
  };
}

/** The gate that the graph has to pass before it is published, and how far it is. */
export async function readGate(db: Db, { workflow_id, graph, role }: Gated): Promise<PublishGate> {
  const entries = await listEntries(db, workflow_id);
  const runs =
    entries.length === 0
      ? new Map<string, DraftRun>()
      : await newestDraftRuns(db, { workflow_id, content_hash: contentHash(graph) });
  const suites = entries.map((entry) => toGateSuite(entry, runs.get(entry.gate.suite_id), role));
  return {
    suites,
    passes: suites.every(({ state }) => state === 'passed'),
    may_override: role === 'owner',
  };
}

function describeSuite({ suite_name, state, pass_percent, least_pass_percent }: GateSuite): string {
  const name = `"${suite_name}"`;
  switch (state) {
    case 'passed':
      return `${name} passed`;
    case 'failed':
      return `${name} passed ${pass_percent ?? 0} % of its test cases, but needs ${least_pass_percent} %`;
    case 'running':
      return `${name} is still running`;
    case 'outdated':
      return `${name} was changed since it was run on this draft`;
    case 'not_run':
      return `${name} was not run on this draft`;
    case 'empty':
      return `${name} has no test cases`;
    case 'deleted':
      return `${name} was deleted`;
    default:
      return state satisfies never;
  }
}

/**
 * Refuses a graph that evals have to pass first, unless the owner says why it is published all the same.
 *
 * @returns the reason that goes with the version; null where none was needed
 * @throws AppError `conflict` with the gate as `publish_gate`, `forbidden` for a reason of a collaborator
 */
export async function requirePasses(
  db: Db,
  gated: Gated,
  override_reason: string | null | undefined,
): Promise<string | null> {
  const gate = await readGate(db, gated);
  if (gate.passes) return null;
  if (override_reason && !gate.may_override)
    throw forbidden('Only the owner of the workflow may publish it before its evals pass');
  if (override_reason) return override_reason;
  const open = gate.suites.filter(({ state }) => state !== 'passed').map(describeSuite);
  throw conflict(
    `This workflow is published only when its evals pass: ${open.join('; ')}. Save it as a draft, run its evals, then publish the draft`,
    { publish_gate: gate },
  );
}
