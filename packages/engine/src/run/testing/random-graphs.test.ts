import { assert, asyncProperty, nat } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDice } from '../../testing/random-workflow.ts';
import { testOptions } from '../../testing/run-to-end.ts';
import type { CompiledWorkflow } from '../../workflow/compiled.ts';
import { RunMachine } from '../machine.ts';
import type { NodeFinished, RunEvent, RunFinished } from '../record/events.ts';
import { machineFor, runRandomly, snapshotState, workflowFor } from './random-run.ts';

const seeds = nat(2 ** 31);
const options = { max_node_executions: 100_000 };

describe('random graphs', () => {
  it('end in the same state regardless of the order in which nodes finish', {
    timeout: 120_000,
  }, async () => {
    expect.hasAssertions();
    await assert(
      asyncProperty(seeds, seeds, seeds, async (seed, one, two) => {
        const workflow = workflowFor(seed);
        const behaviour = { seed, failing: 3 };
        const first = await runRandomly(machineFor(workflow), behaviour, { dice: createDice(one) });
        const dice = createDice(two);
        const second = await runRandomly(machineFor(workflow), behaviour, {
          dice,
          max_parallel: 1 + dice(4),
        });
        expect(getOutcome(second.events)).toEqual(getOutcome(first.events));
        expect(differences(workflow, first.events, second.events)).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it('tell each start before its finish, each finish once, and nothing after the end', {
    timeout: 120_000,
  }, async () => {
    expect.hasAssertions();
    await assert(
      asyncProperty(seeds, seeds, async (seed, order) => {
        const run = await runRandomly(
          machineFor(workflowFor(seed)),
          { seed, failing: 3 },
          { dice: createDice(order) },
        );
        expect(faults(run.events)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  it('resume from any subset of recorded results to the same end, without telling them again', {
    timeout: 120_000,
  }, async () => {
    expect.hasAssertions();
    await assert(
      asyncProperty(seeds, seeds, async (seed, order) => {
        const workflow = workflowFor(seed);
        const behaviour = { seed, failing: 3 };
        const whole = await runRandomly(machineFor(workflow), behaviour, { dice: createDice(order) });
        const dice = createDice(order + 1);
        const finished = whole.events.filter((event) => event.type === 'node_finished');
        const kept = finished.filter(() => dice(2) === 0);
        const records = new Map(kept.map((event) => [buildPlaceKey(event), event]));
        const machine = new RunMachine(
          workflow,
          testOptions({ ...options, last_sequence: finished.length * 4 }),
        );
        const resumed = await runRandomly(machine, behaviour, {
          dice,
          recorded: (id, iteration) => records.get(`${id}@${iteration}`),
        });
        const told = resumed.events.filter((event) => event.type === 'node_finished');
        expect(told.filter((event) => records.has(buildPlaceKey(event)))).toEqual([]);
        expect(getOutcome(resumed.events)).toEqual(getOutcome(whole.events));
        expect(differences(workflow, whole.events, [...kept, ...resumed.events])).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it('up to a node do what the whole run does there, and nothing that does not lead there', {
    timeout: 120_000,
  }, async () => {
    expect.hasAssertions();
    await assert(
      asyncProperty(seeds, seeds, async (seed, order) => {
        const workflow = workflowFor(seed);
        const behaviour = { seed, failing: 0 };
        const dice = createDice(order);
        const main = workflow.nodes.filter(({ flow, active }) => flow === 'main' && active);
        const last = main[dice(main.length)];
        if (!last) return;
        const whole = await runRandomly(machineFor(workflow), behaviour, { dice });
        const machine = new RunMachine(workflow, testOptions({ ...options, until: last.id }));
        const { events, finished } = await runRandomly(machine, behaviour, { dice });
        const all = snapshotState(whole.events);
        expect([...snapshotState(events)].filter(([place, row]) => all.get(place) !== row)).toEqual([]);
        expect(listStarted(events).filter((id) => !leadsTo(workflow, id, last.index))).toEqual([]);
        const ran = (event: RunEvent) =>
          event.type === 'node_finished' && event.node_id === last.id && event.status === 'success';
        expect(events.some(ran)).toBe(whole.events.some(ran));
        // A loop that was being opened meanwhile still tells its first round.
        const isStep = (id: string) => (workflow.nodes[workflow.indexOf(id)]?.opens ?? 0) < 0;
        const end = last.opens < 0 ? events.findIndex(ran) : -1;
        expect(end < 0 ? [] : listStarted(events.slice(end)).filter(isStep)).toEqual([]);
        expect(faults(events)).toEqual([]);
        expect(finished?.status).toBe('success');
      }),
      { numRuns: 1000 },
    );
  });
});

const listStarted = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'node_started' ? [event.node_id] : []));

/** Whether edges lead from a node to another one, where a loop ends after each node of its body. */
function leadsTo(workflow: CompiledWorkflow, id: string, to: number): boolean {
  const reached = new Set([workflow.indexOf(id)]);
  for (const at of reached) {
    const loop = workflow.loops[workflow.nodes[at]?.loop ?? -1];
    if (loop) reached.add(loop.node);
    for (const { source, target } of workflow.edges) if (source === at) reached.add(target);
  }
  return reached.has(to);
}

function buildPlaceKey({ node_id, iteration }: NodeFinished): string {
  return `${node_id}@${iteration}`;
}

/** How the run ended; the message of an unhandled failure depends on which of several came first. */
function getOutcome(events: readonly RunEvent[]): Partial<RunFinished> {
  const last = events.at(-1);
  if (last?.type !== 'run_finished') return {};
  return last.status === 'success' ? { status: last.status, outputs: last.outputs } : { status: last.status };
}

/**
 * Rows that differ. After an unhandled failure, which nodes had still started depends on time, and so does whether a
 * failed one got another attempt; what all others did must not.
 */
function differences(
  workflow: CompiledWorkflow,
  expected: readonly RunEvent[],
  actual: readonly RunEvent[],
): string[] {
  const one = snapshotState(expected);
  const two = snapshotState(actual);
  const isWhole = getOutcome(expected).status === 'success';
  // Giving up a retry opens an error side and so decides what is behind it.
  if (!isWhole && workflow.nodes.some(({ retry }) => retry !== null)) return [];
  return [...new Set([...one.keys(), ...two.keys()])].filter(
    (row) => one.get(row) !== two.get(row) && (isWhole || (one.has(row) && two.has(row))),
  );
}

/** Broken promises of the event stream. */
function faults(events: readonly RunEvent[]): string[] {
  const found: string[] = [];
  if (events[0]?.type !== 'run_started') found.push('does not begin with run_started');
  if (events.findIndex(({ type }) => type === 'run_finished') !== events.length - 1)
    found.push('continues after run_finished');
  const started = new Set<string>();
  const finished = new Set<string>();
  const sequences = new Set<number>();
  for (const event of events) {
    if (event.type === 'node_started') started.add(`${event.node_id}@${event.iteration}`);
    if (event.type !== 'node_finished') continue;
    const place = buildPlaceKey(event);
    if (finished.has(place)) found.push(`${place} finished twice`);
    if (started.has(place) === (event.status === 'skipped')) found.push(`${place} is ${event.status}`);
    if (sequences.has(event.sequence)) found.push(`sequence ${event.sequence} occurs twice`);
    finished.add(place);
    sequences.add(event.sequence);
  }
  return found;
}
