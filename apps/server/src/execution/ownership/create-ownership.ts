import type { Broadcast } from '../../ports/coordination/broadcast.ts';
import type { AbandonReason } from '../model/run.ts';
import { resign } from '../store/queue/requeue/release.ts';
import { takeOver } from '../store/queue/requeue/takeover.ts';
import { createHeldRuns } from './held-runs.ts';
import { createMembership, type MembershipOptions } from './membership.ts';
import type { MakeErrorRun, Ownership } from './ownership.ts';
import { persist } from './persist.ts';
import { logGivenUp } from './releases.ts';
import { createRunCommands } from './run-commands.ts';
import { createSignal } from './signal.ts';
import { createSweeper, logTakeover, type Sweeper, type SweeperOptions } from './sweeper.ts';
import { createUnleftPlaces } from './unleft-places.ts';

export interface OwnershipOptions extends MembershipOptions {
  readonly broadcast: Broadcast;
  /** How often it is looked for what hints have missed; absent: every second, and four times per lease at least. */
  readonly sweep_ms?: number;
  /** Whether this process executes the run; the journal knows. */
  readonly holds: (run_id: string) => boolean;
}

/** Ownership, and the ways in for a journal that finds the lease gone or a run without its runner. */
export interface FencedOwnership extends Ownership {
  fence(): void;
  /** Releases a run whose runner has stopped, as soon as the database answers. */
  giveBack(run_id: string, why: AbandonReason): void;
}

const SWEEP_MS = 1_000;

/** Commands to the runs of this process, from other processes, the sweep and the process itself. */
const createSignals = () => ({
  cancels: createSignal<[run_id: string]>(),
  wakes: createSignal<[]>(),
  decisions: createSignal<[run_id: string]>(),
});
type Signals = ReturnType<typeof createSignals>;

/** Hints of other processes. Returns what ends each subscription. */
const listen = (broadcast: Broadcast, { cancels, wakes, decisions }: Signals): (() => void)[] => [
  broadcast.subscribe('cancel', cancels.send),
  broadcast.subscribe('wake', () => wakes.send()),
  broadcast.subscribe('decided', decisions.send),
];

function configureSweeper(
  { database, log, worker_id, lease_ms, sweep_ms }: OwnershipOptions,
  { cancels, wakes, decisions }: Signals,
  more: Pick<SweeperOptions, 'held' | 'unleft' | 'makeErrorRun'>,
): Sweeper {
  return createSweeper({
    sql: database.journal,
    worker_id,
    sole_owner: database.kind === 'embedded',
    interval_ms: sweep_ms ?? Math.min(SWEEP_MS, lease_ms / 4),
    log,
    ...more,
    onCancel: cancels.send,
    onWake: wakes.send,
    onDecision: decisions.send,
  });
}

export function createOwnership(options: OwnershipOptions): FencedOwnership {
  const { database, broadcast, log, worker_id } = options;
  const sql = database.journal;
  const signals = createSignals();
  const membership = createMembership(options);
  const held = createHeldRuns(options.holds);
  const unleft = createUnleftPlaces(sql);
  let makeErrorRun: MakeErrorRun | undefined;
  const sweeper = configureSweeper(options, signals, { held, unleft, makeErrorRun: () => makeErrorRun });
  const wake = (subject: string) => {
    signals.wakes.send();
    broadcast.publish('wake', subject);
  };
  const commands = createRunCommands({
    ...options,
    sql,
    membership,
    held,
    unleft,
    wake,
    onReleased: (runs) => logGivenUp(log, runs),
  });
  const subscriptions: (() => void)[] = [];

  async function start(): Promise<void> {
    await membership.register();
    logTakeover(log, await takeOver(sql, database.kind === 'embedded' ? worker_id : undefined));
    await membership.keep();
    subscriptions.push(...listen(broadcast, signals));
    sweeper.start();
  }

  async function stop(): Promise<void> {
    for (const unsubscribe of subscriptions.splice(0)) unsubscribe();
    await sweeper.stop();
    if (!membership.is_fenced) {
      membership.leave();
      const given_back = await persist(() => resign(sql, worker_id));
      if (given_back.length > 0) broadcast.publish('wake', worker_id);
    }
    await membership.stopKeeping();
  }

  return {
    ...commands,
    worker_id,
    start,
    stop,
    fence: membership.fence,
    giveBack: held.abandon,
    leaseIsSafe: membership.leaseIsSafe,
    onFenced: membership.onFenced,
    onCancel: signals.cancels.receive,
    onWake: signals.wakes.receive,
    onDecision: signals.decisions.receive,
    onGivenUp(make) {
      makeErrorRun = make;
    },
  };
}
