import type { Scope } from '../expression/index.ts';
import type { Json } from '../json.ts';
import type { CompiledNode, Params } from '../workflow/compiled.ts';
import type { FailedNode } from './events.ts';
import { NodeScope } from './scope.ts';
import { visibleOutput } from './state/pause.ts';
import { LIVE, type RunState, SKIPPED } from './state/run-state.ts';

/** Output of a node that is directly connected and was not skipped. */
export interface NodeInput {
  readonly label: string;
  readonly output: Json;
}

/** One node that is to run now, in one round of its loops, with everything it may see. */
export class NodeTask {
  readonly node: CompiledNode;
  /** Rounds of the surrounding loops: `3`, `2.5`; '' outside loops. */
  readonly iteration: string;
  /** 1 for the first attempt; repeated attempts are the same task. */
  attempt: number;
  /** Epoch milliseconds of the current attempt. */
  started_at_ms: number;
  readonly #run: RunState;
  #inputs: readonly NodeInput[] | undefined;
  #scope: NodeScope | undefined;

  constructor(
    run: RunState,
    node: CompiledNode,
    at: Pick<NodeTask, 'iteration' | 'attempt' | 'started_at_ms'>,
  ) {
    this.#run = run;
    this.node = node;
    this.iteration = at.iteration;
    this.attempt = at.attempt;
    this.started_at_ms = at.started_at_ms;
  }

  /** What the run was started with. */
  get run_input(): Json {
    return this.#run.options.input;
  }

  /** In edge order; a node that is connected twice is named once. */
  get inputs(): readonly NodeInput[] {
    return (this.#inputs ??= directInputs(this.#run, this.node.index));
  }

  /** The first failure of the run, for error handlers; null for all other nodes. */
  get error(): FailedNode | null {
    if (this.node.definition.traits.schedule !== 'error_flow') return null;
    return firstFailure(this.#run)?.node ?? null;
  }

  /** Whether `$credentials.<name>` is a bearer token. */
  isBearer(name: string): boolean {
    return this.#run.options.bearer_credentials?.has(name) === true;
  }

  get scope(): Scope {
    return (this.#scope ??= new NodeScope(this.#run, this.node.index, this));
  }

  /** Evaluates and checks the node's parameters; throws `NodeFailure` of kind `params` or `expression`. */
  params(): Params {
    return this.node.resolveParams(this.scope);
  }
}

function directInputs(run: RunState, node: number): readonly NodeInput[] {
  const { workflow } = run;
  const inputs: NodeInput[] = [];
  let seen: Set<number> | undefined;
  for (const edge of workflow.incoming[node] ?? []) {
    const compiled = workflow.edges[edge];
    if (compiled === undefined || compiled.kind === 'back' || run.edges[edge] !== LIVE) continue;
    const { source } = compiled;
    const output = visibleOutput(run, source, node);
    if (output === undefined || run.nodes[source] === SKIPPED || seen?.has(source)) continue;
    (seen ??= new Set()).add(source);
    inputs.push({ label: workflow.nodes[source]?.label ?? '', output });
  }
  return inputs;
}

/** The failure that came first, regardless of when it became known. */
export function firstFailure(run: RunState): RunState['failures'][number] | undefined {
  let first: RunState['failures'][number] | undefined;
  for (const failure of run.failures) {
    if (failure.node && (first === undefined || failure.sequence < first.sequence)) first = failure;
  }
  return first;
}
