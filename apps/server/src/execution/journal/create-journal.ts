import type { Logger } from 'pino';
import type { TransactionalSql } from '../../database/sql-client.ts';
import type { AbandonReason, RefusedCall, StoredRun } from '../model/run.ts';
import { loadRun } from '../store/load.ts';
import { lookAtRun } from '../store/lookups.ts';
import type { WaitAddresses } from '../store/waiting/wait-addresses.ts';
import { createEffectIntents } from './effect-intents.ts';
import { createHiddenTokens } from './hidden-tokens.ts';
import type { Journal } from './journal.ts';
import { createLane } from './lane/lane.ts';
import { refusalOperation } from './make-operation.ts';
import { createOpenRun } from './open-run.ts';
import { OpenRuns } from './open-runs.ts';
import { createRunEnding } from './run-ending.ts';
import { createRunRecorder } from './run-recorder.ts';

export interface JournalOptions {
  /** Connections that only journal and ownership use. */
  readonly sql: TransactionalSql;
  readonly worker_id: string;
  readonly log: Logger;
  /** Called once when a statement found that this process has lost its lease. */
  readonly onFenced: () => void;
  /** A runner has stopped before the end of its run, and no other runner of this process has it. */
  readonly onAbandoned?: (run_id: string, why: AbandonReason) => void;
  /** Keeps tokens of waits out of the database; absent: payloads are stored as they are. */
  readonly addresses?: WaitAddresses;
  /** False only in the crash harness, to prove that its checker sees what a missing fence does. */
  readonly fenced?: boolean;
}

/** The journal, and what ownership asks of it. */
export interface LocalJournal extends Journal {
  /** Whether a runner of this process has the run, or has let go of it and its last records are not written yet. */
  holds(run_id: string): boolean;
}

/** The journal of this process. Everything that changes a run while it is executed goes through it. */
export function createJournal(options: JournalOptions): LocalJournal {
  const { sql, worker_id, log, onFenced, fenced = true } = options;
  const lane = createLane({ sql, worker_id, log, onFenced, fenced });
  const runs = new OpenRuns();
  const recorder = createRunRecorder(runs, lane);
  const ending = createRunEnding(runs, lane);
  const effects = createEffectIntents(runs, lane);
  const hidden = createHiddenTokens(options.addresses);
  /** Runs that their runners have let go of, until their rows are settled. */
  const closing = new Set<Promise<void>>();

  function recordRefusal(call: RefusedCall): void {
    if (lane.hasRoom()) lane.push(refusalOperation(call), true);
    else lane.counters.dropped_refusals += 1;
  }

  /** A run that was claimed since it was last executed here begins anew. */
  function reopen({ begin, attempt, intents, waits }: StoredRun): void {
    if (runs.get(begin.run_id)?.attempt === attempt) return;
    const former = { attempt, intents, has_waits: waits.length > 0 };
    runs.add(begin.run_id, createOpenRun(former));
  }

  return {
    begin: recorder.begin,
    record: (run_id, fact) => recorder.record(run_id, hidden.inFact(run_id, fact)),
    intend: effects.intend,
    withdraw: effects.withdraw,
    barrier: recorder.barrier,
    wait: (run_id, wait) => recorder.wait(run_id, hidden.inWait(run_id, wait)),
    finish: ending.finish,
    suspend: ending.suspend,
    recordRefusal,
    look: (run_id, until) => lookAtRun(sql, run_id, until),
    async load(run_id) {
      const found = await loadRun(sql, run_id);
      return found && hidden.shown(found.run);
    },
    async loadOwned(run_id) {
      const found = await loadRun(sql, run_id);
      if (found?.owner === worker_id && found.run.state === 'running') reopen(found.run);
      return found && hidden.shown(found.run);
    },
    abandon(run_id, why) {
      const closed = recorder.close(run_id).then(() => options.onAbandoned?.(run_id, why));
      closing.add(closed);
      void closed.finally(() => closing.delete(closed));
    },
    holds: (run_id) => runs.has(run_id),
    hasRoom: lane.hasRoom,
    async drain() {
      await Promise.all(closing);
      await lane.idle();
    },
    get stats() {
      return { ...lane.counters, commit_ms: lane.commit_ms, is_stalled: lane.is_stalled };
    },
  };
}
