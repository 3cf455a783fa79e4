import { type Json, type JsonObject, NodeFailure, type StepEffect } from '@millrace/engine';
import type { NodeCall } from '@millrace/nodes/runtime';
import { assert, asyncProperty, nat } from 'fast-check';
import { expect, test } from 'vitest';
import { graph } from '../../../../resources/executions/testing/workflows.ts';
import {
  createRequest,
  createTestEnvironment,
  type TestEnvironment,
} from '../../../testing/run-environment.ts';
import type { PublishedWorkflow } from '../../../workflows/published-workflow.ts';
import { resumeRun, startRun } from '../../start/run-workflow.ts';
import { mortal } from './testing/mortal-process.ts';

type Dice = (below: number) => number;

/** Whole numbers below a bound, the same ones for the same seed. */
function createDice(seed: number): Dice {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % below;
  };
}

interface Action {
  readonly key: string;
  readonly kind: 'step' | 'failing step' | 'wait';
  readonly effect: StepEffect;
}

/** Stages one after another; the actions of one stage at the same time. */
type Program = readonly (readonly Action[])[];

const EFFECTS: readonly StepEffect[] = ['pure', 'read', 'idempotent', 'unsafe'];
const KINDS = ['step', 'step', 'step', 'wait', 'wait', 'failing step'] as const;

function randomProgram(dice: Dice, node: string): Program {
  const pickOne = <T>(values: readonly T[], other: T): T => values[dice(values.length)] ?? other;
  return Array.from({ length: 1 + dice(4) }, (_, stage) =>
    Array.from({ length: 1 + dice(3) }, (_, at) => ({
      key: `${node}.${stage}.${at}`,
      kind: pickOne(KINDS, 'step'),
      effect: pickOne(EFFECTS, 'pure'),
    })),
  );
}

/** Everything seen from outside of the service while a run was killed again and again. */
class Witness {
  /** How often the work of each step was done. */
  readonly done = new Map<string, number>();
  /** Values that nodes of living processes were given, by key. */
  readonly given = new Map<string, Set<string>>();
  /** Decisions that were accepted, by key. */
  readonly accepted = new Map<string, Json[]>();
  #next = 0;

  work({ key, kind }: Action): Json {
    this.done.set(key, (this.done.get(key) ?? 0) + 1);
    if (kind === 'failing step') throw new NodeFailure({ kind: 'upstream', message: `${key} failed` });
    // Never the same twice: a repetition that counted would be seen.
    return { key, number: this.#next++ };
  }

  give(key: string, value: Json): void {
    const values = this.given.get(key) ?? new Set();
    this.given.set(key, values.add(JSON.stringify(value)));
  }
}

async function act(call: NodeCall, action: Action, witness: Witness): Promise<Json> {
  const { key, kind, effect } = action;
  if (kind === 'wait') {
    const request = { kind: 'callback', payload: {}, decisions: ['yes', 'no'] } as const;
    const { decision, data } = await call.wait(key, request);
    return { decision, data };
  }
  try {
    return await call.step(key, effect, () => witness.work(action));
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    return error.failure.kind;
  }
}

const DOCUMENT = graph(
  [
    ['start', 'textInput'],
    ['one', 'wait', { duration: 1 }],
    ['two', 'wait', { duration: 2 }],
    ['out', 'output', { message: '$one' }],
  ],
  ['start>one', 'start>two', 'one>out'],
);
const MOST_LIVES = 7;

interface World {
  readonly environment: TestEnvironment;
  readonly workflow: PublishedWorkflow;
  readonly witness: Witness;
  readonly programs: readonly Program[];
  readonly dice: Dice;
  isAlive: () => boolean;
}

function createWorld(seed: number): World {
  const dice = createDice(seed);
  const programs = ['one', 'two'].map((node) => randomProgram(dice, node));
  const witness = new Witness();
  const world = { witness, programs, dice, isAlive: () => true };
  async function perform(call: NodeCall) {
    const program = programs[Number(call.params['duration']) - 1] ?? [];
    const output: JsonObject = {};
    const { isAlive } = world;
    for (const stage of program) {
      const values = await Promise.all(stage.map((action) => act(call, action, witness)));
      for (const [at, { key }] of stage.entries()) {
        const value = values[at] ?? null;
        output[key] = value;
        if (isAlive()) witness.give(key, value);
      }
    }
    return { output };
  }
  const environment = createTestEnvironment({ nodes: { wait: perform } });
  return Object.assign(world, { environment, workflow: environment.publish(DOCUMENT) });
}

/** Two callers at once with different answers, for a wait that is open or was decided before. */
async function decideAny({ environment, witness, dice }: World): Promise<void> {
  const waits = [...environment.journal.runs].flatMap(([run_id, kept]) =>
    kept.waits.map((wait) => ({ run_id, wait })),
  );
  const chosen = waits[dice(Math.max(1, waits.length))];
  if (!chosen) return;
  const { run_id, wait } = chosen;
  const { node_id, iteration, key } = wait;
  await Promise.all(
    ['yes', 'no'].map(async (decision) => {
      const data = { by: dice(1_000_000) };
      const result = await environment.ownership.resume(run_id, { node_id, iteration, key, decision, data });
      if (result !== 'resumed') return;
      witness.accepted.set(key, [...(witness.accepted.get(key) ?? []), { decision, data }]);
    }),
  );
}

/** One process, until it dies or has nothing to do with the run any more. */
async function live(world: World, death_at: number): Promise<void> {
  const { environment, workflow, dice } = world;
  const { journal, ownership } = environment;
  const side = dice(2) === 0 ? 'before' : 'after';
  const { process, died, isDead } = mortal(environment, { at: death_at, side }, () => {
    if (dice(3) === 0) void decideAny(world);
  });
  world.isAlive = () => !isDead();
  const ends: Promise<unknown>[] = [];
  if (journal.runs.size === 0) {
    ends.push(Promise.resolve(startRun(process, createRequest(workflow))).then(({ finished }) => finished));
  }
  for (const { run_id } of await ownership.claim(10)) {
    const stored = await journal.load(run_id);
    if (stored) ends.push(resumeRun(process, stored, workflow).then(({ finished }) => finished));
  }
  await Promise.race([Promise.all(ends), died]);
  for (const [run_id, { state }] of journal.runs) if (state === 'running') journal.crash(run_id);
}

async function liveAndDie(world: World): Promise<void> {
  const { environment, dice } = world;
  for (let lives = 1 + dice(MOST_LIVES); lives > 0; lives--) {
    await live(world, 1 + dice(14));
    if (dice(2) === 0) await decideAny(world);
  }
  const isOver = () => {
    const runs = [...environment.journal.runs.values()];
    return runs.length > 0 && runs.every(({ final }) => final !== null);
  };
  for (let tries = 0; !isOver(); tries++) {
    if (tries > 500) throw new Error('the run does not end');
    await live(world, Number.POSITIVE_INFINITY);
    await decideAny(world);
  }
}

/** Checks what must hold of a run that has ended, however often its processes died. */
function expectTruth({ environment, programs, witness }: World): { repeats: number; unknown: number } {
  const [run, ...more] = environment.journal.runs.values();
  expect(more).toEqual([]);
  expect(run?.final).toMatchObject({ status: 'success' });
  const records = run?.records ?? [];
  const outputs = records.flatMap((record) =>
    record.type === 'node_finished' && record.node_type === 'wait' ? [record.output as JsonObject] : [],
  );
  expect(outputs).toHaveLength(programs.length);
  const output: JsonObject = Object.assign({}, ...outputs);
  const found = { repeats: 0, unknown: 0 };
  for (const action of programs.flat(2)) {
    const { key, kind, effect } = action;
    const value = output[key];
    // A decision is neither lost nor applied twice, and each call of the node is given the same.
    if (kind === 'wait') expect(witness.accepted.get(key), key).toEqual([value]);
    expect([...(witness.given.get(key) ?? [])], key).toEqual([JSON.stringify(value)]);
    if (kind === 'wait') continue;
    const recorded = records.filter((record) => record.type === 'step_finished' && record.key === key);
    expect(recorded, key).toHaveLength(1);
    const [step] = recorded;
    const times = witness.done.get(key) ?? 0;
    if (value === 'outcome_unknown') found.unknown += 1;
    else if (kind === 'step') expect(step, key).toMatchObject({ status: 'success', output: value });
    else expect(step, key).toMatchObject({ status: 'error', failure: { kind: value } });
    if (effect === 'unsafe') expect(times, key).toBeLessThanOrEqual(1);
    found.repeats += Math.max(0, times - 1);
  }
  return found;
}

test('§7.2: steps, waits and decisions in any order give one record each and the same results, wherever processes die', {
  timeout: 120_000,
}, async () => {
  const total = { repeats: 0, unknown: 0 };
  await assert(
    asyncProperty(nat(2 ** 31), async (seed) => {
      const world = createWorld(seed);
      await liveAndDie(world);
      const { repeats, unknown } = expectTruth(world);
      total.repeats += repeats;
      total.unknown += unknown;
    }),
    { numRuns: 400 },
  );
  // Deaths must have hit between effects and their records, or this proves nothing.
  expect(total.repeats).toBeGreaterThan(20);
  expect(total.unknown).toBeGreaterThan(5);
});
