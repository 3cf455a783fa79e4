import type { Counts } from './fleet.ts';
import { EVERY_KIND, KINDS_WITH_STEPS } from './kinds.ts';
import type { Load } from './load/hand-in.ts';
import type { Scenario } from './scenario.ts';
import type { ServerFaults } from './services/storage.ts';
import * as trouble from './trouble.ts';

/** How much of everything: factors of what the short mode does, which takes about three minutes on two idle cores. */
export interface Size {
  readonly runs: number;
  readonly strikes: number;
  readonly load: Load;
  readonly spacing: number;
}

/** A few clients that mostly wait: every run is under way for long when it is struck. */
export const shortSize = (factor: number): Size => ({
  runs: factor,
  strikes: factor,
  load: { clients: 8, most_open: Number.POSITIVE_INFINITY },
  spacing: 1,
});

/**
 * As many runs at a time as the processes take. A start costs as much time as hundreds of runs, so that strikes are further
 * apart, and each meets more runs.
 */
export const LONG: Size = {
  runs: 82,
  strikes: 5,
  load: { clients: 32, most_open: 120 },
  spacing: 3,
};

const ordinary = ({ load, spacing }: Size) =>
  ({
    processes: 3,
    lease_seconds: 1,
    over_http: 0.25,
    mix: EVERY_KIND,
    stall_ms: 30_000,
    load,
    spacing,
  }) as const;

const kills = ({ kills: count }: Counts) => count;
const cuts = ({ cuts: count }: Counts) => count;
const faults = ({ faults: count }: Counts) => count;

/** Places in the code at which a process ends without a word, with the hit that does it. */
const FAULT_POINTS = [
  ['before_commit:SIGKILL:8', 'after_commit:SIGKILL:8', 'after_claim:SIGKILL:3'],
  ['after_intent:SIGKILL:4', 'after_effect:SIGKILL:4', 'after_accept:SIGKILL:2'],
  ['before_final:SIGKILL:3', 'after_final:SIGKILL:3', 'during_takeover:SIGKILL:1'],
] as const;
/** The same within nodes with steps. */
const STEP_FAULT_POINTS = [
  ['after_step:SIGKILL:3', 'before_wait:SIGKILL:3', 'after_wait:SIGKILL:3'],
  ['before_suspend:SIGKILL:3', 'after_suspend:SIGKILL:3', 'after_decision:SIGKILL:2'],
] as const;

/** Around a tool call that must not be made twice. */
const TOOL_FAULT_POINTS = [
  'after_intent:SIGKILL:2',
  'after_effect:SIGKILL:2',
  'after_effect:SIGKILL:5',
  'after_intent:SIGKILL:4',
];
/** One process may get no work: while sign-ins are held, those that have runs take the next ones, too. */
const TOOL_FAULTS = TOOL_FAULT_POINTS.length - 1;

/** Runs with a sign-in wait for each other; more of them would only wait longer. */
const MOST_SIGNED = 30;

const describeFaults = (fault_points: readonly string[]) =>
  `dies ${fault_points.map((point) => point.split(':')[0]?.replace('_', ' ')).join(', ')}`;

/** Against a server that keeps running. */
export function ordinaryScenarios(size: Size): Scenario[] {
  const runs = 100 * size.runs;
  const common = ordinary(size);
  return [
    {
      ...common,
      name: 'nothing',
      prefix: 'calm',
      runs,
      trouble: trouble.noTrouble,
      strikes: () => 0,
      wanted_strikes: 0,
    },
    {
      ...common,
      name: 'kill -9',
      prefix: 'kill',
      runs,
      trouble: trouble.kills,
      strikes: kills,
      wanted_strikes: 6 * size.strikes,
    },
    {
      ...common,
      name: 'kill -9, lease as set by default',
      prefix: 'lease',
      lease_seconds: undefined,
      // Callers that wait hold up all others, so that many runs are under way at the blow and the scenario ends after it.
      runs: 60,
      load: shortSize(1).load,
      trouble: trouble.killAllButOne,
      strikes: kills,
      wanted_strikes: 2,
    },
    {
      ...common,
      name: 'paused processes',
      prefix: 'pause',
      runs,
      trouble: trouble.pauses,
      strikes: ({ pauses }) => pauses,
      wanted_strikes: 4 * size.strikes,
    },
    {
      ...common,
      name: 'blocked event loops',
      prefix: 'block',
      runs,
      // Two come back after their lease; the third never does and is ended from its other thread.
      fault_points: ['after_effect:block:5:2500', 'after_effect:block:9:3500', 'after_effect:block:7'],
      processes: 4,
      trouble: trouble.noTrouble,
      strikes: ({ fresh_starts }) => fresh_starts,
      wanted_strikes: 3,
    },
    {
      ...common,
      name: 'frozen in a transaction, beside kill -9',
      prefix: 'frozen',
      lease_seconds: undefined,
      runs: 60,
      load: shortSize(1).load,
      processes: 4,
      trouble: trouble.freezeBesideDead,
      strikes: ({ kills: count, pauses }) => Math.min(count, pauses),
      wanted_strikes: 1,
    },
    {
      ...common,
      name: 'broken connections',
      prefix: 'cut',
      runs,
      trouble: trouble.brokenConnections,
      strikes: cuts,
      wanted_strikes: 8 * size.strikes,
      may_exit: true,
    },
    {
      ...common,
      name: 'rolling restarts',
      prefix: 'roll',
      runs,
      trouble: trouble.rollingRestarts,
      strikes: ({ terms }) => terms,
      wanted_strikes: 3 * size.strikes,
    },
    ...FAULT_POINTS.map(
      (fault_points, at): Scenario => ({
        ...common,
        name: describeFaults(fault_points),
        prefix: `fault${at}`,
        runs: 40 * size.runs,
        processes: 4,
        fault_points,
        trouble: at === 2 ? trouble.killLast : trouble.noTrouble,
        strikes: faults,
        wanted_strikes: fault_points.length,
      }),
    ),
    {
      ...common,
      // An attempt that fails before the call must not hide that it may have been made by the process before.
      name: 'sign-in fails beside dead processes',
      prefix: 'signed',
      mix: { signed: 100 },
      // None continues while another process may still be renewing the sign-in, which is half a minute.
      stall_ms: 45_000,
      runs: 40 * size.runs,
      load: { ...common.load, most_open: MOST_SIGNED },
      processes: 4,
      fault_points: TOOL_FAULT_POINTS,
      trouble: trouble.noTrouble,
      strikes: faults,
      wanted_strikes: TOOL_FAULTS,
    },
    ...STEP_FAULT_POINTS.map(
      (fault_points, at): Scenario => ({
        ...common,
        name: describeFaults(fault_points),
        prefix: `step${at}`,
        mix: KINDS_WITH_STEPS,
        runs: 60 * size.runs,
        processes: 4,
        fault_points,
        trouble: trouble.noTrouble,
        strikes: faults,
        wanted_strikes: fault_points.length,
      }),
    ),
  ];
}

export type OnServer = (size: Size, faults: ServerFaults) => Omit<Scenario, 'name'>;

/** Against a server that stops, by name. */
export const DATABASE_SCENARIOS: Readonly<Record<string, OnServer>> = {
  'database crashes': (size, { crash }) => ({
    ...ordinary(size),
    prefix: 'database',
    runs: 100 * size.runs,
    trouble: trouble.databaseCrashes(crash),
    strikes: cuts,
    wanted_strikes: 3 * size.strikes,
    may_exit: true,
  }),
  'database does not answer': (size, { pause }) => ({
    ...ordinary(size),
    prefix: 'silent',
    runs: 60 * size.runs,
    trouble: trouble.databasePauses(pause),
    strikes: cuts,
    wanted_strikes: size.strikes,
    may_exit: true,
  }),
};

export const redisScenario = (size: Size, redis: Parameters<typeof trouble.redisLosses>[0]): Scenario => ({
  ...ordinary(size),
  name: 'Redis lost',
  prefix: 'redis',
  runs: 100 * size.runs,
  redis_url: redis.url,
  over_http: 0.7,
  trouble: trouble.redisLosses(redis),
  strikes: cuts,
  wanted_strikes: 4 * size.strikes,
});

/** The only process of an embedded database; everything comes over HTTP. */
export const embeddedScenario = (size: Size): Scenario => ({
  ...ordinary(size),
  name: 'embedded, kill -9',
  prefix: 'embedded',
  processes: 1,
  lease_seconds: undefined,
  runs: 100 * size.strikes,
  trouble: trouble.killsOfOne,
  strikes: kills,
  wanted_strikes: 4 * size.strikes,
});

/** Without the fence: it must fail, at any size. */
export const controlScenario = (size: Size): Scenario => ({
  ...ordinary(size),
  name: 'fence off (must fail)',
  prefix: 'control',
  fenced: false,
  over_http: 0,
  mix: { safe: 100 },
  runs: 200,
  trouble: trouble.pauses,
  strikes: ({ pauses }) => pauses,
  wanted_strikes: 3,
});
