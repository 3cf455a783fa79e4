import type { Json } from '../json.ts';
import { drive, type RunHost } from '../run/drive.ts';
import { RunMachine } from '../run/machine.ts';
import type { Ambient, RunOptions } from '../run/options.ts';
import type { NodeFinished, RunEvent, RunFinished } from '../run/record/events.ts';
import type { CompiledWorkflow } from '../workflow/compiled.ts';
import { runTestNode } from './catalog.ts';

/** An ambient that never changes: 1 January 2026, UTC, one id, one half. */
export const still: Ambient = {
  now: () => Date.UTC(2026, 0, 1),
  uuid: () => '0123456789abcdef0123456789abcdef',
  random: () => 0.5,
  timezone: 'UTC',
};

/** A host without waiting: pauses end at once, time does not pass. Runs the nodes of the test catalogue. */
export function testHost(changes: Partial<RunHost> = {}): RunHost {
  return {
    runNode: runTestNode,
    sleep: () => Promise.resolve('done'),
    now: still.now,
    cancelled: () => false,
    ...changes,
  };
}

export function testOptions(changes: Partial<RunOptions> = {}): RunOptions {
  return { input: {}, ambient: still, ...changes };
}

export interface EndedRun {
  readonly events: readonly RunEvent[];
  readonly machine: RunMachine;
  readonly finished: RunFinished;
  readonly status: RunFinished['status'];
  readonly outputs: RunFinished['outputs'];
  /** Finished rows in order. */
  readonly rows: readonly NodeFinished[];
  /** Outputs by `label` or `label@iteration`; the last one of each. */
  readonly output: Readonly<Record<string, Json>>;
  /** Row status by `label` or `label@iteration`. */
  readonly statuses: Readonly<Record<string, NodeFinished['status']>>;
}

export interface RunSettings {
  input?: Json;
  options?: Partial<RunOptions>;
  host?: Partial<RunHost>;
}

/** Runs to the end and waits where the run has to wait. */
export async function runToEnd(workflow: CompiledWorkflow, settings: RunSettings = {}): Promise<EndedRun> {
  const options = testOptions({ ...settings.options, ...(settings.input === undefined ? {} : settings) });
  return drain(new RunMachine(workflow, options), testHost(settings.host));
}

/** Drains any machine, for example a restored one. */
export async function drain(machine: RunMachine, host: RunHost): Promise<EndedRun> {
  const events: RunEvent[] = [];
  for (const step of drive(machine, host)) {
    if (step.type === 'wait') await step.until;
    else events.push(step);
  }
  return summary(machine, events);
}

export function summary(machine: RunMachine, events: readonly RunEvent[]): EndedRun {
  const finished = events.at(-1);
  if (finished?.type !== 'run_finished') throw new Error('The run did not end');
  const rows = events.filter((event) => event.type === 'node_finished');
  const keyed = rows.map(
    (row) => [row.iteration === '' ? row.node_label : `${row.node_label}@${row.iteration}`, row] as const,
  );
  return {
    events,
    machine,
    finished,
    status: finished.status,
    outputs: finished.outputs,
    rows,
    output: Object.fromEntries(keyed.map(([key, row]) => [key, row.output])),
    statuses: Object.fromEntries(keyed.map(([key, row]) => [key, row.status])),
  };
}
