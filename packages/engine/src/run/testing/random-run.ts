import type { Json, JsonObject } from '../../json.ts';
import { testCatalog } from '../../testing/catalog.ts';
import { createDice, type Dice, randomWorkflow } from '../../testing/random-workflow.ts';
import { testHost, testOptions } from '../../testing/run-to-end.ts';
import { compileWorkflow } from '../../workflow/compile.ts';
import type { CompiledWorkflow } from '../../workflow/compiled.ts';
import { drive, type RunHost } from '../drive.ts';
import { RunMachine } from '../machine.ts';
import type { NodeResult, VariableWrite } from '../node-run.ts';
import type { NodeFinished, RunEvent, RunFinished } from '../record/events.ts';
import type { NodeTask } from '../task.ts';

const VARIABLES = ['v0', 'v1'] as const;

export interface Behaviour {
  /** One in so many steps fails; 0 for none. Failures without error settings end the run. */
  readonly failing: number;
  readonly seed: number;
}

/** A graph that can run; graphs whose loops overlap are refused before a run and are not of interest here. */
export function workflowFor(seed: number): CompiledWorkflow {
  for (let attempt = 0; ; attempt++) {
    const dice = createDice(seed * 31 + attempt);
    const document = randomWorkflow(dice, { size: 2 + dice(9), depth: dice(4) });
    const workflow = compileWorkflow(document, testCatalog);
    if (workflow.refusal === null) return workflow;
  }
}

/** The behaviour of a node: a function of what it sees and its place, never of when it runs. */
export function behave(task: NodeTask, { seed, failing }: Behaviour): NodeResult {
  const { node, iteration, attempt } = task;
  const dice = createDice(hash(`${seed}/${node.id}/${iteration}`));
  const mayFail = node.on_error || node.retry !== null;
  const failures = failing > 0 && dice(failing) === 0 ? 1 + dice(4) : 0;
  if (failures >= attempt && (mayFail ? node.on_error || failures < 3 : failing === 1 || dice(12) === 0)) {
    return { failure: { kind: 'upstream', message: `${node.id} failed in round ${iteration}` } };
  }
  switch (node.definition.type) {
    case 'loop':
      return { output: { items: Array.from({ length: dice(4) }, (_, index) => `${node.id}-${index}`) } };
    case 'condition':
    case 'switch': {
      const [first = 'output'] = node.ports;
      const branch = node.ports[dice(node.ports.length)] ?? first;
      return { output: { branch, seen: seenBy(task) }, ports: [branch === 'error' ? first : branch] };
    }
    default: {
      const result: NodeResult = { output: { id: node.id, iteration, seen: seenBy(task) } };
      const variables = writes(task, dice);
      if (variables.length > 0) result.variables = variables;
      return result;
    }
  }
}

function writes(task: NodeTask, dice: Dice): VariableWrite[] {
  return VARIABLES.filter(() => dice(3) === 0).map((name) => ({
    name,
    value: `${task.node.id}@${task.iteration}`,
    is_global: false,
  }));
}

/** Everything that could depend on timing, if the engine let it. */
function seenBy(task: NodeTask): JsonObject {
  const { scope } = task;
  const labels: JsonObject = {};
  for (const { label } of pickNodes(task)) labels[label] = shortForm(scope.lookup(label) as Json | undefined);
  const vars = scope.lookup('vars') as JsonObject;
  return {
    inputs: task.inputs.map(({ label }) => label),
    labels,
    vars: Object.fromEntries(VARIABLES.map((name) => [name, vars[name] ?? null])),
  };
}

const workflows = new WeakMap<NodeTask['node'], CompiledWorkflow>();

/** A few nodes of the workflow, always the same ones for the same node. */
function pickNodes({ node }: NodeTask, workflow = workflows.get(node)): CompiledWorkflow['nodes'] {
  const nodes = workflow?.nodes ?? [];
  const dice = createDice(hash(node.id));
  return nodes.length <= 8 ? nodes : Array.from({ length: 8 }, () => nodes[dice(nodes.length)] ?? node);
}

function shortForm(output: Json | undefined): Json {
  if (output === undefined) return null;
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return output;
  const { id, iteration, index, total, branch, _errorBranch } = output;
  return [id, iteration, index, total, branch, _errorBranch].map((part) => part ?? null);
}

export function hash(text: string): number {
  let result = 2166136261;
  for (let at = 0; at < text.length; at++) result = Math.imul(result ^ text.charCodeAt(at), 16777619);
  return result >>> 0;
}

export interface Timing {
  /** Decides who is asynchronous and who arrives first. */
  readonly dice: Dice;
  readonly recorded?: RunHost['recorded'];
  readonly max_parallel?: number;
  /** Asked after each event; true abandons the run there. */
  readonly interrupt?: (count: number) => boolean;
}

/** Runs with random arrival order. Ends early, without `finished`, when it is interrupted. */
export async function runRandomly(
  machine: RunMachine,
  behaviour: Behaviour,
  timing: Timing,
): Promise<{ events: RunEvent[]; finished: RunFinished | null }> {
  const { dice, recorded, max_parallel, interrupt } = timing;
  const waiting: (() => void)[] = [];
  const later = <T>(value: T): Promise<T> => new Promise((resolve) => waiting.push(() => resolve(value)));
  const host = testHost({
    runNode: (task) => {
      workflows.set(task.node, machine.workflow);
      const result = behave(task, behaviour);
      return dice(3) === 0 ? result : later(result);
    },
    sleep: () => later('done' as const),
    ...(recorded ? { recorded } : {}),
    ...(max_parallel === undefined ? {} : { max_parallel }),
  });
  const events: RunEvent[] = [];
  for (const step of drive(machine, host)) {
    if (step.type === 'wait') {
      const [wake] = waiting.splice(dice(waiting.length), 1);
      wake?.();
      await step.until;
      continue;
    }
    events.push(step);
    if (interrupt?.(events.length)) return { events, finished: null };
  }
  const last = events.at(-1);
  return { events, finished: last?.type === 'run_finished' ? last : null };
}

export function machineFor(workflow: CompiledWorkflow): RunMachine {
  return new RunMachine(workflow, testOptions({ max_node_executions: 100_000 }));
}

/** Rows by node and round, without what may differ from run to run: order and times. */
export function snapshotState(events: readonly RunEvent[]): Map<string, string> {
  const rows = events.filter((event): event is NodeFinished => event.type === 'node_finished');
  return new Map(
    rows.map(({ node_id, iteration, status, output, ports }) => [
      `${node_id}@${iteration}`,
      JSON.stringify({ status, output, ports }),
    ]),
  );
}
