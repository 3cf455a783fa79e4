import type { Scope } from '../expression/index.ts';
import type { Json } from '../json.ts';
import type { FailedNode } from '../run/record/events.ts';
import type { NodeInput } from '../run/scope.ts';
import { createState } from '../run/state/run-state.ts';
import { NodeTask } from '../run/task.ts';
import type { CompiledWorkflow } from '../workflow/compiled.ts';
import { testOptions } from './run-to-end.ts';

/** Surroundings that a node sees of a run that is not there. */
export interface Surroundings {
  readonly inputs: readonly NodeInput[];
  readonly run_input: Json;
  readonly error: FailedNode | null;
  readonly scope: Scope;
  readonly bearer_credentials: ReadonlySet<string>;
  readonly started_at_ms: number;
}

/** The first node of a workflow as a task without the run around it, for tests of one node. */
export class LoneTask extends NodeTask {
  readonly #surroundings: Surroundings;

  constructor(workflow: CompiledWorkflow, surroundings: Surroundings) {
    const { run_input, bearer_credentials, started_at_ms } = surroundings;
    const [node] = workflow.nodes;
    if (!node) throw new Error('the workflow has no node');
    super(createState(workflow, testOptions({ input: run_input, bearer_credentials })), node, {
      iteration: '',
      attempt: 1,
      started_at_ms,
    });
    this.#surroundings = surroundings;
  }

  override get inputs(): readonly NodeInput[] {
    return this.#surroundings.inputs;
  }

  override get error(): FailedNode | null {
    return this.#surroundings.error;
  }

  override get scope(): Scope {
    return this.#surroundings.scope;
  }
}
