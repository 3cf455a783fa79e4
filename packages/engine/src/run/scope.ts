import { ExpressionError, type ReadParameter, type Scope } from '../expression/index.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { GIVEN } from '../workflow/compile/agent-tools.ts';
import type { FailedNode, UnresolvedReference } from './record/events.ts';
import { visibleOutput } from './state/pause.ts';
import type { RunState } from './state/run-state.ts';

/** Output of a node that is directly connected and was not skipped. */
export interface NodeInput {
  readonly label: string;
  readonly output: Json;
}

const NOTHING: JsonObject = Object.freeze({});

const MAX_REFERENCE_LENGTH = 200;

const shortened = (text: string): string =>
  text.length <= MAX_REFERENCE_LENGTH ? text : `${text.slice(0, MAX_REFERENCE_LENGTH)}…`;

/** The task whose expressions are evaluated. */
interface Sources {
  readonly inputs: readonly NodeInput[];
  readonly error: FailedNode | null;
  readonly given: JsonObject | undefined;
  noteUnresolved(reference: UnresolvedReference): void;
}

/**
 * The names that expressions of one node see. Nothing is copied in advance: a name is looked up when an expression
 * asks for it, and what it finds cannot change while the node runs.
 *
 * Order of precedence: `input`, `vars`, `global`, `credentials` and the names of the run; then labels of nodes
 * upstream; then keys of direct inputs; then `page`. A label can hide `page` alone.
 */
export class NodeScope implements Scope {
  readonly #run: RunState;
  readonly #node: number;
  readonly #task: Sources;
  reading: ReadParameter | null = null;
  #variables: JsonObject | undefined;
  #globals: JsonObject | undefined;

  constructor(run: RunState, node: number, task: Sources) {
    this.#run = run;
    this.#node = node;
    this.#task = task;
  }

  get timezone(): string {
    return this.#run.options.ambient.timezone;
  }

  now(): number {
    return this.#run.options.ambient.now();
  }

  uuid(): string {
    return this.#run.options.ambient.uuid();
  }

  random(): number {
    return this.#run.options.ambient.random();
  }

  noteUnresolved(reference: string, instead: string): void {
    if (this.reading?.is_hidden === true) return;
    const shown = shortened(reference);
    if (this.#run.options.strict_references === true) {
      const message = `${shown} has no value here; correct the name, or add a fallback: ${shown}.orEmpty()`;
      throw new ExpressionError('unresolved', message);
    }
    this.#task.noteUnresolved({
      field: this.reading?.field ?? null,
      reference: shown,
      instead: shortened(instead),
    });
  }

  lookup(name: string): unknown {
    const { options } = this.#run;
    switch (name) {
      case 'input':
        return this.#firstInput();
      case 'vars':
        return (this.#variables ??= this.#visibleVariables());
      case 'global':
        return (this.#globals ??= this.#visibleGlobals());
      case 'credentials':
        return options.credentials ?? NOTHING;
      case 'workflowName':
      case 'workflowDescription':
      case 'workflowPath':
      case 'workflowUrl':
      case 'executionId':
        return options.context?.[name] ?? null;
      case 'error':
        // Only an error handler has it; the nodes behind see it as a key of their input.
        return this.#task.error ?? this.#merged(name);
      case GIVEN:
        return this.#task.given ?? this.#merged(name);
      case 'page':
        return this.#merged(name) ?? options.page ?? null;
      default:
        return this.#merged(name);
    }
  }

  /** `$input.key` reads all inputs and labels; of several inputs with the key the last one counts. */
  inputMember(key: string): unknown {
    return this.#merged(key);
  }

  #merged(name: string): Json | undefined {
    const labelled = this.#getOutput(name);
    return labelled === undefined ? this.#inputKey(name) : labelled;
  }

  /** A label that several nodes have means the one that ran last. */
  #getOutput(label: string): Json | undefined {
    for (const node of this.#run.workflow.upstream(this.#node, label)) {
      const output = visibleOutput(this.#run, node, this.#node);
      if (output !== undefined) return this.#withAppended(node, output);
    }
    return undefined;
  }

  /** A node that has set a variable shows `{name, value}`; a list as value is the one that later nodes append to. */
  #withAppended(writer: number, output: Json): Json {
    const { variables } = this.#run;
    if (!variables.hasAppends || !isJsonObject(output) || typeof output['name'] !== 'string') return output;
    const value = variables.readAppended(output['name'], writer, this.#node);
    return value === undefined ? output : { ...output, value };
  }

  #inputKey(key: string): Json | undefined {
    const inputs = this.#task.inputs;
    for (let at = inputs.length - 1; at >= 0; at--) {
      const output = inputs[at]?.output;
      if (isJsonObject(output) && Object.hasOwn(output, key)) return output[key];
    }
    return undefined;
  }

  #firstInput(): Json {
    const [first] = this.#task.inputs;
    if (first === undefined) return NOTHING;
    return isJsonObject(first.output) ? first.output : { value: first.output };
  }

  #visibleVariables(): JsonObject {
    const { variables } = this.#run;
    if (variables.isEmpty) return NOTHING;
    const visible: JsonObject = Object.create(null);
    for (const name of variables.names) {
      const value = variables.read(name, this.#node);
      if (value !== undefined) visible[name] = value;
    }
    return visible;
  }

  #visibleGlobals(): JsonObject {
    const globals = this.#run.options.globals ?? NOTHING;
    if (this.#run.variables.isEmpty) return globals;
    return Object.assign(Object.create(null) as JsonObject, globals, this.lookup('vars'));
  }
}
