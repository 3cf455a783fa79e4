import {
  GATE_LIMITS,
  type PublishGate,
  type Received,
  RUNNABLE_STATES,
  type setPublishGate,
} from '@millrace/contracts';
import { AppError, invalidField } from '../../core/app-error.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import type { Needs, Services } from '../../services.ts';
import { requireRunnableSuite, startDraftRun } from '../evals/runs/draft-runs.ts';
import { lockPerson } from '../lock-person.ts';
import { requireModelCredential } from '../open-model.ts';
import { requireWorkflow } from '../workflows/access.ts';
import { keepDraft, lockedState, readState, type State, shown } from '../workflows/state.ts';
import { readGate } from './check.ts';
import { contentHash } from './content-hash.ts';
import * as queries from './queries.ts';

type Reader = Needs<'db' | 'actor'>;
type Writer = Needs<'db' | 'actor' | 'now' | 'request_id' | 'client_ip'>;
type Wanted = Received<typeof setPublishGate>['body']['suites'];

const gateOfState = (db: Db, state: State): Promise<PublishGate> =>
  readGate(db, {
    workflow_id: state.visible.row.id,
    graph: shown(state, true).graph,
    role: state.visible.role,
  });

export const readPublishGate = async (ctx: Reader, workflow_id: string): Promise<PublishGate> =>
  gateOfState(ctx.db, await readState(ctx, workflow_id, { draft: true }));

async function requireJudge(
  ctx: Reader,
  { judge_credential_id, judge_model }: Wanted[number],
  at: (string | number)[],
) {
  if (!judge_credential_id)
    throw invalidField([...at, 'judge_credential_id'], 'must be the credential of the model that judges');
  if (!judge_model) throw invalidField([...at, 'judge_model'], 'must name the model that judges the answers');
  await requireModelCredential(ctx, judge_credential_id);
  return { judge_credential_id, judge_model };
}

const NO_JUDGE = { judge_credential_id: null, judge_model: null };

async function buildRows(ctx: Reader, workflow_id: string, wanted: Wanted): Promise<queries.GateRow[]> {
  const ids = wanted.map(({ suite_id }) => suite_id);
  const suites = await queries.suitesAmong(ctx.db, ctx.actor.user_id, ids);
  return Promise.all(
    wanted.map(async (entry, place) => {
      const at = ['body', 'suites', place];
      const { suite_id, least_pass_percent } = entry;
      const suite = suites.find(({ id }) => id === suite_id);
      if (!suite)
        throw invalidField([...at, 'suite_id'], 'is not one of your eval suites; choose another one');
      const judge = suite.scoring_method === 'llm_judge' ? await requireJudge(ctx, entry, at) : NO_JUDGE;
      return { workflow_id, suite_id, suite_name: suite.name, least_pass_percent, place, ...judge };
    }),
  );
}

/** A setting of the owner, who alone has the suites. It applies at once; what is published stays published. */
export async function chooseGateSuites(
  ctx: Writer,
  workflow_id: string,
  wanted: Wanted,
): Promise<PublishGate> {
  const state = await ctx.db.transaction(async (tx) => {
    const inside = { ...ctx, db: tx };
    const found = await lockedState(inside, workflow_id, 'own');
    const { row } = found.visible;
    await queries.replaceEntries(tx, row.id, await buildRows(inside, row.id, wanted));
    await recordAudit(tx, ctx, {
      action: 'workflow.updated',
      object_kind: 'workflow',
      object_id: row.id,
      object_name: row.name,
      owner_id: row.owner_id,
      details: { fields: ['publish_gate'] },
    });
    return found;
  });
  return gateOfState(ctx.db, state);
}

async function entriesToRun(db: Db, state: State): Promise<queries.GateEntry[]> {
  const { suites } = await gateOfState(db, state);
  const open = new Set(
    suites.filter((suite) => RUNNABLE_STATES.has(suite.state)).map(({ suite_id }) => suite_id),
  );
  return (await queries.listEntries(db, state.visible.row.id)).filter(({ gate }) => open.has(gate.suite_id));
}

/** Its place in the transaction is after the lock of the owner, so that their runs are counted one after the other. */
async function startGateRun(ctx: Writer, state: State, { gate, suite }: queries.GateEntry): Promise<void> {
  if (!suite) return;
  const { row } = state.visible;
  const { judge_credential_id, judge_model } = gate;
  await startDraftRun(ctx, suite, {
    workflow_id: row.id,
    workflow_name: row.name,
    graph_id: row.draft_id ?? row.version_id,
    content_hash: contentHash(shown(state, true).graph),
    judge: { judge_credential_id, judge_model },
    keep: GATE_LIMITS.kept_runs,
  });
}

/** The scoring of a suite may have changed, or its judge's credential been deleted, since it was chosen. */
function requireChosenJudge({ gate, suite }: queries.GateEntry): void {
  if (suite?.scoring_method !== 'llm_judge' || (gate.judge_credential_id && gate.judge_model)) return;
  throw new AppError(
    'bad_request',
    `"${suite.name}" is scored by a model, but none is chosen; the owner of the workflow has to choose one in its settings`,
  );
}

/** Before the transaction, which would hold its locks while large schemas are compiled. */
async function requireRunnableSuites(
  ctx: Writer & Pick<Services, 'parsers'>,
  workflow_id: string,
): Promise<void> {
  const state = await readState(ctx, workflow_id, { draft: true });
  for (const entry of await entriesToRun(ctx.db, state)) {
    requireChosenJudge(entry);
    if (entry.suite) await requireRunnableSuite(ctx, entry.suite);
  }
}

/**
 * Starts what has not passed on the draft, for people who may publish it. The runs belong to the owner of the suites;
 * those of the workflow have the rights of the person who asks, as when they run the draft in the editor.
 */
export async function runPublishGate(
  ctx: Writer & Pick<Services, 'parsers'>,
  workflow_id: string,
): Promise<PublishGate> {
  await requireWorkflow(ctx, workflow_id, 'edit');
  await requireRunnableSuites(ctx, workflow_id);
  const state = await ctx.db.transaction(async (tx) => {
    const inside = { ...ctx, db: tx };
    const found = await lockedState(inside, workflow_id, 'edit');
    const { row } = found.visible;
    await lockPerson(tx, row.owner_id);
    await keepDraft(tx, found);
    for (const entry of await entriesToRun(tx, found)) await startGateRun(inside, found, entry);
    return found;
  });
  return gateOfState(ctx.db, state);
}
