import type { Logger } from 'pino';
import { faultPoint } from '../../core/fault-point.ts';
import { newId } from '../../core/ids.ts';
import type { TransactionalSql } from '../../database/sql-client.ts';
import type { Broadcast } from '../../ports/coordination/broadcast.ts';
import type { PlaceGroup, QueuedRun } from '../model/queue.ts';
import { cancelTree, cancelTrees } from '../store/queue/cancel.ts';
import { claimRuns } from '../store/queue/claim.ts';
import { enqueueReplay, enqueueRun } from '../store/queue/enqueue.ts';
import { fireTrigger } from '../store/queue/fire.ts';
import { admitHeld, HELD_MS, takePlace } from '../store/queue/places.ts';
import { storeWithinLimit } from '../store/queue/queue-limit.ts';
import type { JudgedRun } from '../store/queue/requeue/give-up.ts';
import { releaseRuns } from '../store/queue/requeue/release.ts';
import { decideForChild, decideWait, findWait, readDecisions } from '../store/waiting/waits.ts';
import type { HeldRuns } from './held-runs.ts';
import type { Membership } from './membership.ts';
import type { Ownership } from './ownership.ts';
import { persist } from './persist.ts';
import type { UnleftPlaces } from './unleft-places.ts';

export interface RunCommandsOptions {
  readonly sql: TransactionalSql;
  readonly broadcast: Broadcast;
  readonly worker_id: string;
  readonly log: Logger;
  readonly membership: Membership;
  readonly held: HeldRuns;
  readonly unleft: UnleftPlaces;
  /** Something may be claimable, here or at another process. */
  readonly wake: (subject: string) => void;
  readonly onReleased: (runs: readonly JudgedRun[]) => void;
}

/** The requests of callers: each is one statement, durable when it resolves, and a hint to the other processes. */
export type RunCommands = Pick<
  Ownership,
  | 'claim'
  | 'enqueue'
  | 'enqueueAtEnd'
  | 'fire'
  | 'release'
  | 'takePlace'
  | 'placeLeft'
  | 'requestCancel'
  | 'cancelWithin'
  | 'resume'
  | 'resumeWithin'
  | 'findWait'
  | 'listDecisions'
  | 'decideByEnd'
>;

/** The commands that put runs into the queue and take them out. */
function queueCommands(
  options: RunCommandsOptions,
): Pick<RunCommands, 'claim' | 'enqueue' | 'fire' | 'enqueueAtEnd' | 'release'> {
  const { sql, worker_id, membership, held, wake } = options;
  const enqueue = (run: QueuedRun) =>
    storeWithinLimit(sql, run, (tx) =>
      run.replay ? enqueueReplay(tx, { ...run, replay: run.replay }, worker_id) : enqueueRun(tx, run),
    );
  const { placeLeft } = placeCommands(options);
  /** A held run gets its place where one is free; otherwise it gets that of the first run that ends. */
  const stored = async ({ run_id, workflow_id, ready_at_ms, place_key = '' }: QueuedRun) => {
    if (ready_at_ms === HELD_MS) await placeLeft({ workflow_id, place_key });
    else wake(run_id);
  };
  return {
    async claim(limit, busy_workflows = []) {
      if (membership.is_fenced || limit <= 0) return [];
      const claimed = await claimRuns(sql, { worker_id, limit, busy_workflows });
      held.claimed(claimed.map(({ run_id }) => run_id));
      if (claimed.length > 0) faultPoint('after_claim');
      return claimed;
    },
    async enqueue(run) {
      const result = await persist(() => enqueue(run));
      faultPoint('after_accept');
      if (result.kind === 'queued') await stored(run);
      return result;
    },
    async fire(firing) {
      const result = await persist(() => fireTrigger(sql, worker_id, firing));
      faultPoint('after_fire');
      if (result.kind === 'queued') await stored(firing.run);
      return result;
    },
    enqueueAtEnd(run) {
      return {
        write: {
          key: `run:${run.workflow_id}:${run.idempotency_key ?? run.run_id}`,
          async write(tx) {
            await enqueueRun(tx, run);
          },
        },
        announce: () => void stored(run),
      };
    },
    async release(run_ids, why) {
      held.released(run_ids);
      const released = await persist(() => releaseRuns(sql, { worker_id, run_ids, why }));
      options.onReleased(released);
      if (released.length > 0) wake(worker_id);
    },
  };
}

/** Places of workflows that limit their runs. */
function placeCommands({
  sql,
  log,
  worker_id,
  wake,
  unleft,
}: RunCommandsOptions): Pick<RunCommands, 'takePlace' | 'placeLeft'> {
  /** The sweep does the work that is missed here. */
  const quietly = (work: Promise<unknown>, { workflow_id }: PlaceGroup): Promise<void> =>
    work.then(
      () => undefined,
      (error: unknown) =>
        log.warn({ err: error, workflow_id }, 'a place could not be passed on; trying again'),
    );
  const admitNext = async (group: PlaceGroup) => {
    if ((await admitHeld(sql, group)) > 0) wake(group.workflow_id);
  };
  return {
    async takePlace(group, limits) {
      const id = newId();
      const leave = async () => {
        await unleft.leave(id);
        await admitNext(group);
      };
      try {
        const taken = await persist(() => takePlace(sql, { ...group, ...limits, id, worker_id }));
        return taken === 'taken' ? { leave: () => quietly(leave(), group) } : taken;
      } catch (error) {
        // It may be taken all the same, by a statement whose answer was lost.
        void quietly(leave(), group);
        throw error;
      }
    },
    placeLeft: (group) => quietly(admitNext(group), group),
  };
}

/** The commands that decide how runs continue. */
function decisionCommands({
  sql,
  broadcast,
  wake,
}: RunCommandsOptions): Omit<
  RunCommands,
  keyof ReturnType<typeof queueCommands> | keyof ReturnType<typeof placeCommands>
> {
  const announceDecision = (run_id: string): void => {
    wake(run_id);
    broadcast.publish('decided', run_id);
  };
  const announceCancels = (running: readonly string[]): void => {
    for (const id of running) broadcast.publish('cancel', id);
  };
  return {
    async requestCancel(run_id, options) {
      const { running, ended, known } = await persist(() => cancelTree(sql, run_id, options));
      announceCancels(running);
      if (running.length + ended.length > 0) return 'requested';
      return known ? 'finished' : 'unknown';
    },
    async cancelWithin(tx, run_ids) {
      const { running } = await cancelTrees(tx, run_ids);
      return { announce: () => announceCancels(running) };
    },
    async resume(run_id, decision) {
      const result = await persist(() => decideWait(sql, run_id, decision));
      faultPoint('after_decision');
      if (result === 'resumed') announceDecision(run_id);
      return result;
    },
    async resumeWithin(tx, run_id, decision) {
      const outcome = await decideWait(tx, run_id, decision);
      return { outcome, announce: () => announceDecision(run_id) };
    },
    findWait: (token_hash) => findWait(sql, token_hash),
    listDecisions: (run_id) => readDecisions(sql, run_id),
    async decideByEnd(run_id) {
      const decided = await persist(() => decideForChild(sql, run_id));
      for (const id of decided) announceDecision(id);
    },
  };
}

export const createRunCommands = (options: RunCommandsOptions): RunCommands => ({
  ...queueCommands(options),
  ...placeCommands(options),
  ...decisionCommands(options),
});
