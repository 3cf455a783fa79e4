import { setTimeout as sleep } from 'node:timers/promises';
import type { Counts, Fleet } from '../fleet.ts';
import { getGraphKind, type StartedKind } from '../kinds.ts';
import type { Sql } from '../services/sql.ts';
import type { Answering } from './answers.ts';
import { openRuns } from './settle.ts';
import {
  type Admitted,
  callUntilAnswered,
  cancelUntilAnswered,
  queueRun,
  type Workflows,
} from './workload.ts';

/** How hard the processes are worked. */
export interface Load {
  /** How many clients hand runs in, each one after the other. */
  readonly clients: number;
  /** None is handed in while so many are open: a queue that only grows would hide what becomes of a run that was struck. */
  readonly most_open: number;
}

/** The runs that are handed in, and until when. */
export interface Handed {
  /** Tells runs of this scenario from those of others in the sink; no hyphen. */
  readonly prefix: string;
  /** Least number of runs; there are more when the trouble takes longer. */
  readonly runs: number;
  readonly load: Load;
  /** How often there was trouble, and how often there must be; no more than that is made. */
  readonly strikes: (counts: Counts) => number;
  readonly wanted_strikes: number;
  /** Factor of the pauses between one strike and the next. */
  readonly spacing: number;
  /** Share of runs that come over HTTP with a key; a part of them is asked for twice at once. */
  readonly over_http: number;
  /** How many of a hundred runs are of which kind. */
  readonly mix: Readonly<Partial<Record<StartedKind, number>>>;
}

/** A cancellation finds its run queued, at work, or waiting. */
const LATEST_CANCEL_MS = 600;
/** Share of the calls with a key that are sent twice at the same time. */
const CALLED_TWICE = 0.3;
/** Trouble that does not come within this time does not come. */
const LONGEST_MS = 120_000;

/** Spread evenly over the numbers, the same in every run of the harness. */
const falls = (number: number, prime: number, share: number) => (number * prime) % 100 < share * 100;

/** Only a process that others share the database with can be asked to cancel what it does not know yet. */
function kindOfRun(number: number, { mix }: Handed, is_shared: boolean): StartedKind {
  let place = (number * 7919) % 100;
  for (const [kind, share = 0] of Object.entries(mix) as [StartedKind, number?][]) {
    place -= share;
    if (place < 0) return !is_shared && getGraphKind(kind).queued_only ? 'safe' : kind;
  }
  return 'safe';
}

export interface HandIn {
  readonly scenario: Handed;
  readonly workflows: Workflows;
  readonly fleet: Fleet;
  /** Absent where runs can only be handed in over HTTP; each client waits for its call then. */
  readonly sql: Sql | undefined;
  readonly answering: Answering;
}

const LOOK_EVERY_MS = 200;

/** Lets clients pass as long as not too many runs are open, which is read from the database a few times a second. */
function createGate(sql: Sql | undefined, most_open: number) {
  const left = { room: most_open };
  const look = async () => {
    const open = sql && (await openRuns(sql));
    if (open !== undefined) left.room = most_open - open;
  };
  const timer = Number.isFinite(most_open) && sql ? setInterval(() => void look(), LOOK_EVERY_MS) : undefined;
  return {
    async pass(): Promise<void> {
      if (!timer) return;
      while (left.room <= 0) await sleep(20);
      left.room -= 1;
    },
    close: () => clearInterval(timer),
  };
}

/** Hands runs in over the whole time, so that trouble meets them at every stage. */
export async function handIn({ scenario, workflows, fleet, sql, answering }: HandIn): Promise<Admitted[]> {
  const { load, runs, strikes, wanted_strikes, spacing } = scenario;
  const admitted: Admitted[] = [];
  const until = performance.now() + LONGEST_MS * spacing;
  let next = 0;
  const isEnough = () =>
    next >= runs && (strikes(fleet.counts) >= wanted_strikes || performance.now() > until);
  const behind: Promise<void>[] = [];
  const cancelSoon = async (kind: StartedKind, run_id: string) => {
    await sleep(Math.random() * LATEST_CANCEL_MS);
    const { workflow_id } = workflows[kind];
    await cancelUntilAnswered(fleet, { workflow_id, token: workflows.token }, run_id);
  };
  const gate = createGate(sql, load.most_open);
  const handOne = async (number: number) => {
    const label = `${scenario.prefix}-${number}`;
    const kind = kindOfRun(number, scenario, sql !== undefined);
    const { keyless, queued_only, ends } = getGraphKind(kind);
    answering.expect(label, kind);
    const may_call = !keyless && !queued_only && falls(number, 104_729, scenario.over_http);
    if (!sql || may_call) {
      const calls = falls(number, 1_299_709, CALLED_TWICE) ? 2 : 1;
      const call = () => callUntilAnswered(fleet, workflows[kind], label);
      const told = await Promise.all(Array.from({ length: calls }, call));
      admitted.push({ label, kind, told });
    } else {
      const run_id = await queueRun(sql, workflows[kind], { label, held: getGraphKind(kind).held });
      admitted.push({ label, kind, told: [] });
      if (ends === 'cancelled') behind.push(cancelSoon(kind, run_id));
    }
  };
  const hand = async () => {
    while (!isEnough()) {
      await gate.pass();
      await handOne(next++);
      await sleep(Math.random() * 20);
    }
  };
  await Promise.all(Array.from({ length: load.clients }, hand));
  gate.close();
  await Promise.all(behind);
  return admitted;
}
