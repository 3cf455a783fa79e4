import type { Scope } from '../expression/index.ts';
import type { Json, JsonObject } from '../json.ts';
import { withGiven } from '../workflow/compile/agent-tools.ts';
import type { CompiledNode, Params } from '../workflow/compiled.ts';
import type { FailedNode, UnresolvedReference } from './record/events.ts';
import type { NodeInput } from './scope.ts';
import { NodeScope } from './scope.ts';
import { visibleOutput } from './state/pause.ts';
import { LIVE, type RunState, SKIPPED } from './state/run-state.ts';

/** How an agent calls another node of its workflow. */
export interface Called {
  /** In place of the outputs of nodes before it. */
  readonly inputs: readonly NodeInput[];
  /** Fields that the agent fills in; their text is data and no expression. */
  readonly given: JsonObject;
}

/** Maximum number of recorded references per node. */
const MAX_UNRESOLVED = 50;

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
  /** The node from whose place the run is seen. */
  readonly #viewpoint: number;
  /** The fields that an agent has filled in. */
  readonly given: JsonObject | undefined;
  #inputs: readonly NodeInput[] | undefined;
  #unresolved: UnresolvedReference[] | undefined;
  /** The node that calls this one directly. */
  readonly #caller: NodeTask | undefined;
  #scope: NodeScope | undefined;

  constructor(
    run: RunState,
    node: CompiledNode,
    at: Pick<NodeTask, 'iteration' | 'attempt' | 'started_at_ms'>,
    called?: Called & { readonly viewpoint: number; readonly caller: NodeTask },
  ) {
    this.#run = run;
    this.#caller = called?.caller;
    this.node = called ? withGiven(node, called.given) : node;
    this.#viewpoint = called?.viewpoint ?? node.index;
    this.#inputs = called?.inputs;
    this.given = called?.given;
    this.iteration = at.iteration;
    this.attempt = at.attempt;
    this.started_at_ms = at.started_at_ms;
  }

  /** The input that the run was started with. */
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
    return (this.#scope ??= new NodeScope(this.#run, this.#viewpoint, this));
  }

  /** Nodes from which a path leads to this one, whether they ran or not; for a called node, to the place of its caller. */
  get preceding(): readonly CompiledNode[] {
    const { incoming, edges, nodes } = this.#run.workflow;
    const found = new Set<number>();
    const open = [this.#viewpoint];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const edge of incoming[at] ?? []) {
        const source = edges[edge]?.source;
        if (source === undefined || found.has(source)) continue;
        found.add(source);
        open.push(source);
      }
    }
    return [...found].flatMap((index) => nodes[index] ?? []);
  }

  /** Nodes of the workflow that are active and hang on the tool handle of this one. */
  get tools(): readonly CompiledNode[] {
    return this.#nodesAt(this.#run.workflow.listTools(this.node.index));
  }

  /** Active nodes with that label. */
  labelled(label: string): readonly CompiledNode[] {
    return this.#nodesAt(this.#run.workflow.withLabel(label));
  }

  #nodesAt(indexes: readonly number[]): readonly CompiledNode[] {
    return indexes.flatMap((index) => {
      const node = this.#run.workflow.nodes[index];
      return node?.active && this.#run.disabled.read(node.id, this.#viewpoint) === undefined ? [node] : [];
    });
  }

  /** Another node that this one calls as a part of itself: it is not scheduled and has no result of its own in the run. */
  calling(node: CompiledNode, called: Called): NodeTask {
    const { iteration, attempt, started_at_ms } = this;
    const at = { iteration, attempt, started_at_ms };
    return new NodeTask(this.#run, node, at, { ...called, viewpoint: this.#viewpoint, caller: this });
  }

  /** Unresolved references of the current attempt, without duplicates; undefined when there are none. */
  get unresolved(): readonly UnresolvedReference[] | undefined {
    return this.#unresolved;
  }

  noteUnresolved(reference: UnresolvedReference): void {
    if (this.#caller) return this.#caller.noteUnresolved(reference);
    const noted = (this.#unresolved ??= []);
    const isKnown = noted.some(
      (other) => other.field === reference.field && other.reference === reference.reference,
    );
    if (!isKnown && noted.length < MAX_UNRESOLVED) noted.push(reference);
  }

  /** Each attempt evaluates everything again. */
  forgetUnresolved(): void {
    this.#unresolved = undefined;
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

/** The failure that came first, regardless of when it was found. */
export function firstFailure(run: RunState): RunState['failures'][number] | undefined {
  let first: RunState['failures'][number] | undefined;
  for (const failure of run.failures) {
    if (failure.node && (first === undefined || failure.sequence < first.sequence)) first = failure;
  }
  return first;
}
